"""Simulate whole tournaments: the real handlers and machines in virtual time, with all chance drawn from a seed."""
