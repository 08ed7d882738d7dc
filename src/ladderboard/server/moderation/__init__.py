"""Hints for the organiser: near-duplicates, probing, several accounts of one person."""
