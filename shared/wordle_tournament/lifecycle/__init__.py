"""How games, groups and connections move on, whoever causes it: a player, a timer, the sweeper or an operator.

Every function here may be called again after a crash at any point. It does what is still to be done.
"""
