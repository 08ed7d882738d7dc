"""Experiments from later papers and notes."""
