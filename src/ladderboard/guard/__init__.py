"""The personal holdout guard and the in-memory leaderboard."""
