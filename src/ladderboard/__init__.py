"""Ladderboard: a leaderboard that cannot be climbed by luck."""
