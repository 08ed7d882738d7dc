"""Pages of results: the private board, and the correction of labels."""
