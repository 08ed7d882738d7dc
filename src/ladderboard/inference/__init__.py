"""Statistical inference about the systems of a board."""
