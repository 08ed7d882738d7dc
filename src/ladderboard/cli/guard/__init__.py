"""Commands for the personal holdout guard."""
