"""SQL of results."""
