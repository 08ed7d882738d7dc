"""A client of a Ladderboard server, for participants."""

from ladderboard.client.client import Client
from ladderboard.client.retries import Retries

__all__ = ["Client", "Retries"]
