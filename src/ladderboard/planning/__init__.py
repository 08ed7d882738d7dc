"""Planning before a competition opens: how many submissions a test set can take."""
