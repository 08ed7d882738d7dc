"""Figures and tables of the slides on the Ladder."""
