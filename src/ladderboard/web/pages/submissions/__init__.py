"""Submitting, and a team's own submissions."""
