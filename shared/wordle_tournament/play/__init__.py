"""The use cases: a room for each domain, a module for each thing that players, timers or operators do.

Each one is load, decide, commit, announce. Deciding is a pure function of `rules`; committing is one conditional write
or one transaction; announcing comes after the commit, can never undo it, and may be repeated. No use case imports
another: what several of them need is in `lifecycle`, `matchmaking` or `delivery`.
"""
