"""The web application: the API, the pages, sessions."""
