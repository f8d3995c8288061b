"""Use cases of operators: look at games, and intervene."""
