"""Figures of Chaibub Neto et al."""
