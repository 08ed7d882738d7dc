"""Commands that analyse a test set or a finished board."""
