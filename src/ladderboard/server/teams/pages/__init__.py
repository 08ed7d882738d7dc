"""Pages of teams: one's own, and all of them for the organiser."""
