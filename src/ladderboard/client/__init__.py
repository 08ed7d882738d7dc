"""The participant's side over HTTP: `Client` talks to a Ladderboard server."""
