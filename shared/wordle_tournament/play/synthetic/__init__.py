"""The scheduled visit of the synthetic player."""
