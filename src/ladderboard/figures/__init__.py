"""Pictures of results. Matplotlib is imported when something is drawn, and never opens a window."""
