"""A finished competition as a static site that needs no server."""
