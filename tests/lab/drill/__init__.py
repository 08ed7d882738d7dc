"""The drill, against real servers."""
