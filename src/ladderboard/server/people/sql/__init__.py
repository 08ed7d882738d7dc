"""SQL of people."""
