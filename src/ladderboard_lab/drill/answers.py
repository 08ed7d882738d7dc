"""Answers as they came over the wire, for probes that look at more than a client shows."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

    from ladderboard_lab.drill.strangers import Stranger


def post_file(stranger: "Stranger", content: bytes, *, key: str | None = None) -> "httpx.Response":
    """Send a file as it is, without the client's checks and retries."""
    import httpx

    headers = stranger.headers() | ({} if key is None else {"Idempotency-Key": key})
    address = f"{stranger.client.base_url}/api/v1/competitions/{stranger.slug}/submissions"
    return httpx.post(address, headers=headers, files={"file": ("predictions.csv", content)}, timeout=60)
