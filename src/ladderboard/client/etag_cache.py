"""Answers that were kept with their ETag: asked for again, the server need only say that they still hold."""

import hashlib
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


class ETagCache:
    """In memory; and in ``folder`` too, where one is given, so that the next process has them.

    They are never used without asking the server whether they still hold.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._held: dict[str, tuple[str, bytes]] = {}

    def headers(self, url: str) -> dict[str, str]:
        """What to ask with."""
        held = self._find(url)
        return {} if held is None else {"If-None-Match": held[0]}

    def content(self, url: str, *, is_unchanged: bool, headers: Mapping[str, str], content: bytes) -> bytes:
        """What the answer says: the kept content where it is unchanged, else the new one, which is kept."""
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
