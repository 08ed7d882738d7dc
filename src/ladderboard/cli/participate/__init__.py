"""Commands for participants: a client of a running server."""
