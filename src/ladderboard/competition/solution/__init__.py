"""The solution file: its columns, labels, split and digest."""
