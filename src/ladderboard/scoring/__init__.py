"""Scoring of submissions: built-in metrics, and an organiser's own function in a child process."""
