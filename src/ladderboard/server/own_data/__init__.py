"""What is kept about one person: all of it as a file, and its deletion."""
