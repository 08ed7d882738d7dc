"""SQL of teams."""
