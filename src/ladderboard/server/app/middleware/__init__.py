"""Middleware of every request: frame, access log, upload timeout and arrival time."""
