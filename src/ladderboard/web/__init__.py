"""The web side: the API, the pages, sessions."""
