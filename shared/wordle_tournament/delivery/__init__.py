"""The frames that players get: the players' connections, their screens, and the frames that show these.

Everything here comes after a commit and changes no game. A client can ask again for a frame that was lost.
"""
