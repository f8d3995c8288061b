"""The use cases: a package for each domain, a module for each action of players, timers or operators.

Each one is load, decide, commit, announce. Deciding is a pure function of `rules`; committing is one conditional write
or one transaction; announcing comes after the commit, can never undo it, and may be repeated. No use case imports
another: shared steps are in `lifecycle`, `matchmaking` or `delivery`.
"""
