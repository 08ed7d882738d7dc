"""Accounts, sessions, passwords, roles and rate limits."""
