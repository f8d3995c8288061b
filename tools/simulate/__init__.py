"""`make simulate`: whole tournaments with faults in virtual time."""
