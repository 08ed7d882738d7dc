"""The public board and the final results."""
