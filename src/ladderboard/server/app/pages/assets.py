"""Stylesheet, scripts and icon, addressed by content so that browsers may cache them for ever."""

import hashlib
import mimetypes
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ladderboard.drawing.look import LOOK

STATIC = Path(__file__).parents[1] / "static"
STYLE = "ladderboard.css"
"""Our look, and what the server's pages add to it."""
FOREVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class Asset:
    """One file of ``static/``."""

    name: str
    content: bytes
    media_type: str
    digest: str

    @property
    def url(self) -> str:
        return f"/static/{self.name}?v={self.digest}"


@lru_cache(maxsize=1)
def assets() -> dict[str, Asset]:
    """Every asset by name. Nothing else is served, so no path can lead elsewhere."""
    files = {path.name: path.read_bytes() for path in sorted(STATIC.iterdir()) if path.is_file()}
    files[STYLE] = LOOK.read_bytes() + b"\n" + files[STYLE]
    return {name: _address(name, content) for name, content in files.items()}


def asset_url(name: str) -> str:
    """The address of an asset; it changes with the content."""
    return assets()[name].url


def _address(name: str, content: bytes) -> Asset:
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if media_type.startswith("text/"):
        media_type += "; charset=utf-8"
    return Asset(name, content, media_type, hashlib.blake2s(content, digest_size=6).hexdigest())
