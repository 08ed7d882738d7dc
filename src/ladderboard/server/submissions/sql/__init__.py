"""SQL of submissions."""
