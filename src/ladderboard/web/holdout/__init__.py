"""The HTTP face of a holdout service: `ladderboard.guard.service` behind four addresses."""
