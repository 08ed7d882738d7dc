"""Accounts, sign-in and teams."""
