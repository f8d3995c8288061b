"""Telling players: who is on which connection, what their screen shows, and the frames that say so.

Everything here comes after a commit and changes no game. A frame that is lost can be asked for again.
"""
