"""Checks of a competition folder before it opens."""
