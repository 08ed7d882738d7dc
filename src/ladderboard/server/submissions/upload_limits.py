"""Upload limits for each account, so that a flood from one does not keep others waiting."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from anyio import sleep

from ladderboard.core.errors import TooManyRequestsError
from ladderboard.server.submissions.pace import UploadPaces

HESITATION_SECONDS = 0.5
MOST_WAITING = 16
"""Refusals of one account that are waited with at once."""


class Uploads:
    """Counts the uploads of each account in this process: those under way, and the pace of the last minute.

    It protects this process's time and memory, and is therefore kept there: an upload that is refused costs no write.
    A refusal is sent only after ``hesitation`` seconds, which cost the server nothing: whoever asks again at once has
    to wait for the answer first.
    """

    def __init__(self, paces: UploadPaces, *, at_once: int, hesitation: float = 0.0) -> None:
        self._at_once, self._hesitation, self._paces = at_once, hesitation, paces
        self._running: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()

    @asynccontextmanager
    async def of(self, account_id: str) -> AsyncIterator[None]:
        """The time of one upload; raises `TooManyRequestsError` before anything of it is read."""
        await self._refuse_too_many(account_id)
        self._paces.uploads.count(account_id)
        with _count_one_more(self._running, account_id):
            yield

    async def _refuse_too_many(self, account_id: str) -> None:
        refusal = self._refusal(account_id)
        if refusal is None:
            return
        # So many wait; what is more is refused at once, so that waiting does not become a way to hold memory.
        if self._hesitation and self._waiting[account_id] < MOST_WAITING:
            with _count_one_more(self._waiting, account_id):
                await sleep(self._hesitation)
        raise refusal

    def _refusal(self, account_id: str) -> TooManyRequestsError | None:
        if self._running[account_id] >= self._at_once:
            return TooManyRequestsError(
                f"{self._at_once} of your uploads are being scored already; wait for one of them",
                retry_after=1,
            )
        return self._paces.find_refusal(account_id)


@contextmanager
def _count_one_more(counts: Counter[str], account_id: str) -> Iterator[None]:
    counts[account_id] += 1
    try:
        yield
    finally:
        counts[account_id] -= 1
        if not counts[account_id]:
            del counts[account_id]
