"""Bots for Wordle Tournament, and what follows their games.

`bot` plays on the client, and `solver` chooses its words. `referee` holds the frames that players received against
the rules, and `console` prints them. The package needs the word lists and the rules; the client alone does not.
"""
