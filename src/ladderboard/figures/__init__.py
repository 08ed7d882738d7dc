"""Figures of results. Matplotlib is imported on demand and never opens a window."""
