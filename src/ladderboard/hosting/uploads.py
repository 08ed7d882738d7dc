"""How many files one account may be sending at the same time, so that a flood from one does not keep others waiting."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ladderboard.errors import TooManyRequestsError


class UploadsAtOnce:
    """Counts the uploads of each account in this process."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._running: Counter[str] = Counter()

    @asynccontextmanager
    async def of(self, account_id: str) -> AsyncIterator[None]:
        if self._running[account_id] >= self._most:
            raise TooManyRequestsError(
                f"{self._most} of your uploads are being scored already; wait for one of them", retry_after=1
            )
        self._running[account_id] += 1
        try:
            yield
        finally:
            self._running[account_id] -= 1
            if not self._running[account_id]:
                del self._running[account_id]
