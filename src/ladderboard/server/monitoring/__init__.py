"""Monitoring: whether a server runs and can serve, and its counts and durations."""
