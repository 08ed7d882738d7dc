"""What is wrong with a competition folder, or worth knowing before it opens."""
