"""Rankings over several tasks: means and ranks over tasks, with rank ranges."""
