"""Optional adapters to other libraries."""
