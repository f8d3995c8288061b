"""Use cases of the connection itself; they read no table."""
