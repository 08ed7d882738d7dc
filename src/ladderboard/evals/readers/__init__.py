"""One reader for each program that writes results: its files → runs of systems on tasks."""
