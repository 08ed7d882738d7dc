"""The participant's side over HTTP: `Client` talks to a Ladderboard server."""

from ladderboard.client.client import Client
from ladderboard.client.retries import Retries

__all__ = ["Client", "Retries"]
