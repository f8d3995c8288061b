"""The course of games, groups and connections, whether a player, a timer, the sweeper or an operator moves them on.

Every function here may be called again after a crash at any point. It then does the rest.
"""
