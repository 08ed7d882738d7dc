"""Analyses of finished boards: which records are real, and what other mechanisms would have shown."""
