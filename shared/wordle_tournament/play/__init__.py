"""What players and the clock do, a module for each: load, decide, commit, announce.

Deciding is a pure function of `rules`; committing is one conditional write or one transaction; announcing comes
after the commit, can never undo it, and may be done again. A move that loses against another is made anew.
"""
