"""Pages and files that belong to no competition."""
