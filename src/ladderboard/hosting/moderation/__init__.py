"""Moderation: near-duplicates, probing, several accounts of one person."""
