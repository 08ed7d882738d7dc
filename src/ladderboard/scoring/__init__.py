"""How a submission becomes scores: built-in metrics and an organiser's own function in a child process."""
