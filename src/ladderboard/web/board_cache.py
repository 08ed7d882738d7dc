"""Rendered pages of public boards, kept until the board changes.

Every request reads the board's version from the database first, so a release by another process is never missed.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sized
from threading import Lock
from typing import Any, TypeVar

KEPT_BYTES = 16 << 20

Rendered = TypeVar("Rendered", bound=Sized)


class BoardCache:
    """Rendered contents by key, up to a total length; the least recently used go first. Safe among threads.

    A key holds the competition and the version of its board: what is kept is never stale, only unused.
    """

    def __init__(self, *, most: int = KEPT_BYTES) -> None:
        self._most, self._size, self._guard = most, 0, Lock()
        self._contents: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, render: Callable[[], Rendered]) -> Rendered:
        """Return the content of a key; ``render`` makes it where it is not kept."""
        with self._guard:
            if key in self._contents:
                self._contents.move_to_end(key)
                kept: Rendered = self._contents[key]
                return kept
        content = render()
        with self._guard:
            if key not in self._contents:  # another thread may have rendered it too
                self._contents[key] = content
                self._size += len(content)
            while self._size > self._most:
                self._size -= len(self._contents.popitem(last=False)[1])
        return content
