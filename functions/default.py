"""Route `$default`: what is not JSON or names no action of ours."""

from wordle_tournament.entry import default

handler = default
