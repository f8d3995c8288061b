"""The words of made-up nicknames (R34): international ones, neutral in all the languages of the game.

Each pair of a first and a second word is a nickname. A word stays here only if it says the same in all the languages,
and nothing that hurts; tests/unit/test_made_up_names.py puts every pair through the checks of a chosen nickname.
"""

import random

_FIRST = """
Alfa Amber Aqua Astra Atlas Aurora Azur Bravo Cosmo Delta Disco Domino Echo Eureka Fortuna Galaxy Gamma Indigo Jade
Jazz Jupiter Karat Karma Lambda Largo Luna Maestro Magma Mambo Mango Merlin Meteor Mistral Neon Neptun Nova Oasis
Omega Opal Orbit Orion Pixel Polo Presto Quasar Radar Rondo Rubin Rumba Safari Saga Salsa Samba Saturn Sigma Sirius
Solo Sonar Sonata Tango Tempo Titan Topaz Tornado Turbo Ultra Vega Volta Zenit
"""
_SECOND = """
Albatros Alpaka Axolotl Beluga Bison Delfin Fenek Fenix Flamingo Gekko Gepard Ibis Iguana Impala Jaguar Kiwi Koala
Kolibri Kondor Lama Lemur Leopard Lynx Manul Marabu Mustang Nandu Narval Ocelot Okapi Orka Panda Pegasus Pelikan Puma
Serval Tapir Tiger Tukan Zebra
"""
FIRST = tuple(_FIRST.split())
SECOND = tuple(_SECOND.split())


def made_up_name(rng: random.Random) -> str:
    """Return one of the pairs, each equally likely."""
    return f"{rng.choice(FIRST)} {rng.choice(SECOND)}"
