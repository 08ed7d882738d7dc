"""Commands for the laboratory."""
