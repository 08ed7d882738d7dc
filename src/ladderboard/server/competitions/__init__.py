"""Competitions: what is served from a folder, its dates, and who may see it."""
