"""The scheduled use case: find and finish what a crash left undone."""
