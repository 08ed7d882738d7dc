"""Commands for participants, who talk to a running server."""
