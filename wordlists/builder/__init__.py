"""Builds the committed word lists from dictionaries: a developer's tool, never needed to play or test.

Run `wordlists/builder/install.sh` once, then `python -m wordlists.builder` from the repository's
root. For each language the stages are: read and expand its dictionaries, normalise, filter, rank
(`by_frequency`; Kazakh and Uzbek by how many forms of a word are in use), apply the review
(`review`), check and write (`output`).
"""
