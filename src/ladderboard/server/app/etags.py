"""ETags: answers that a browser or a client may keep and revalidate."""

import hashlib
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response


def tag_response(
    request: Request,
    content: bytes,
    *,
    media_type: str = "application/json",
    tag: str | None = None,
    kept: Literal["public", "private"] = "private",
) -> Response:
    """``content`` with its ETag, or 304 where the asker has it already.

    ``tag`` stands for the content (a version); None: a hash of it. It may be kept, but never used without asking:
    ``no-cache``; by proxies only where it is the same for everybody (``public``).
    """
    tag = f'"{hashlib.sha256(content).hexdigest()[:32] if tag is None else tag}"'
    headers = {"ETag": tag, "Cache-Control": f"{kept}, no-cache", "Vary": "Accept-Encoding, Authorization, Cookie"}
    if is_held(request, tag):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=media_type, headers=headers)


def is_held(request: Request, tag: str) -> bool:
    """Whether the client already has the version with this ETag (given with its quotes)."""
    given = request.headers.get("if-none-match")
    if given is None:
        return False
    held = {one.strip().removeprefix("W/") for one in given.split(",")}
    return "*" in held or tag in held
