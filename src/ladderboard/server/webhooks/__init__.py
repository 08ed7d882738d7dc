"""Webhooks: events, their delivery, and the guard against private addresses."""
