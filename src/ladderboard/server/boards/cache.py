"""Rendered pages of public boards, kept until the board changes.

Every request reads the board's version from the database first, so a release by another process is never missed.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sized
from threading import Lock
from typing import Any, TypeVar

MOST_KEPT = 16 << 20

Rendered = TypeVar("Rendered", bound=Sized)


class BoardCache:
    """The last version of each page, up to a total length; the least recently used go first. Safe among threads.

    A page that was rendered again takes the place of the one before, so a busy board holds no more than a quiet one.
    """

    def __init__(self, *, most: int = MOST_KEPT) -> None:
        self._most, self._size, self._guard = most, 0, Lock()
        self._contents: OrderedDict[Hashable, tuple[Hashable, Any]] = OrderedDict()

    def get(self, page: Hashable, version: Hashable, render: Callable[[], Rendered]) -> Rendered:
        """Return the content of a page; ``render`` makes it where this version is not kept."""
        with self._guard:
            if page in self._contents and self._contents[page][0] == version:
                self._contents.move_to_end(page)
                kept: Rendered = self._contents[page][1]
                return kept
        content = render()
        with self._guard:
            _, before = self._contents.pop(page, (None, ""))
            self._contents[page] = version, content
            self._size += len(content) - len(before)
            while self._size > self._most:
                self._size -= len(self._contents.popitem(last=False)[1][1])
        return content
