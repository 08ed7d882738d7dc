"""Commands of the personal holdout guard."""
