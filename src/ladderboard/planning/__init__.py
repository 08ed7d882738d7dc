"""How many submissions a test set can take, before a competition opens."""
