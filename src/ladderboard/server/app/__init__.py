"""The FastAPI application: protocol limits, sessions, errors, rendering, static files."""
