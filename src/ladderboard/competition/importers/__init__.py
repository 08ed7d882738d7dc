"""Competitions of other platforms → folders of ours, one file per platform."""
