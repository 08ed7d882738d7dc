"""The rules of hosting, one area a module; SQL is in `ladderboard.store`, HTTP in `ladderboard.web`."""
