"""A cache of responses by ETag, revalidated with the server on every use."""

import hashlib
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


class ETagCache:
    """A cache of responses in memory and, if given, in ``folder`` for the next process.

    They are never used without asking the server whether they still hold.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._held: dict[str, tuple[str, bytes]] = {}

    def headers(self, url: str) -> dict[str, str]:
        """Make the headers that revalidate the cached response."""
        held = self._find(url)
        return {} if held is None else {"If-None-Match": held[0]}

    def content(self, url: str, *, is_unchanged: bool, headers: Mapping[str, str], content: bytes) -> bytes:
        """Return the cached content if unchanged; else store and return the new content."""
        held = self._find(url)
        if is_unchanged and held is not None:
            return held[1]
        tag = headers.get("etag")
        if tag is not None:
            self._keep(url, tag, content)
        return content

    def _find(self, url: str) -> tuple[str, bytes] | None:
        if url not in self._held and self._folder is not None:
            try:
                tag, separator, content = self._path(url).read_bytes().partition(b"\n")
            except OSError:
                return None
            if separator:
                self._held[url] = (tag.decode("latin-1"), content)
        return self._held.get(url)

    def _keep(self, url: str, tag: str, content: bytes) -> None:
        self._held[url] = (tag, content)
        if self._folder is None:
            return
        path = self._path(url)
        unfinished = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            unfinished.write_bytes(tag.encode("latin-1") + b"\n" + content)
            unfinished.replace(path)
        except OSError:
            # A full disk or a read-only home costs only the next download.
            with suppress(OSError):
                unfinished.unlink()

    def _path(self, url: str) -> Path:
        assert self._folder is not None
        return self._folder / hashlib.sha256(url.encode()).hexdigest()[:32]
