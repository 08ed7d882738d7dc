"""The experiment of the reusable holdout."""
