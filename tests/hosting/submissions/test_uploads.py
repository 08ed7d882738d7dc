"""How fast one account may send files."""

import asyncio

import pytest

from ladderboard.core.errors import TooManyRequestsError
from ladderboard.server.submissions.queues import MOST_REMEMBERED, MOST_WAITING, Pace, UploadPaces, Uploads


class Watch:
    """Seconds, set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def limits(*, at_once: int, per_minute: int = 100, hesitation: float = 0.0, clock: Watch | None = None) -> Uploads:
    paces = UploadPaces(uploads=per_minute, seconds=20, clock=clock or Watch())
    return Uploads(paces, at_once=at_once, hesitation=hesitation)


async def send(uploads: Uploads, name: str) -> None:
    async with uploads.of(name):
        pass


def test_an_account_sends_two_files_at_once_and_not_three() -> None:
    async def context() -> None:
        uploads = limits(at_once=2)
        async with uploads.of("ada"), uploads.of("ada"):
            with pytest.raises(TooManyRequestsError, match="2 of your uploads"):
                await send(uploads, "ada")
            await send(uploads, "bob")
        await send(uploads, "ada")

    asyncio.run(context())


def test_an_upload_that_fails_is_not_under_way_any_more() -> None:
    async def context() -> None:
        uploads = limits(at_once=1)
        with pytest.raises(ValueError, match="cut off"):
            async with uploads.of("ada"):
                raise ValueError("cut off")
        await send(uploads, "ada")

    asyncio.run(context())


def test_so_many_a_minute_are_taken_and_then_one_whenever_its_share_has_passed() -> None:
    watch = Watch()
    uploads = limits(at_once=9, per_minute=4, clock=watch)

    async def context() -> None:
        for _ in range(4):
            await send(uploads, "ada")
        with pytest.raises(TooManyRequestsError) as refusal:
            await send(uploads, "ada")
        assert refusal.value.retry_after == 15
        await send(uploads, "bob")
        watch.now += 15
        await send(uploads, "ada")
        with pytest.raises(TooManyRequestsError):
            await send(uploads, "ada")
        watch.now += 3600
        for _ in range(4):
            await send(uploads, "ada")
        with pytest.raises(TooManyRequestsError):
            await send(uploads, "ada")

    asyncio.run(context())


def test_a_refusal_is_told_after_a_while_and_the_more_than_many_at_once() -> None:
    async def context() -> None:
        uploads = limits(at_once=1, hesitation=3600)
        async with uploads.of("ada"):
            waiting = [asyncio.create_task(send(uploads, "ada")) for _ in range(MOST_WAITING)]
            await asyncio.sleep(0)
            with pytest.raises(TooManyRequestsError):
                await send(uploads, "ada")
            await send(uploads, "bob")
            assert not any(one.done() for one in waiting)
            for one in waiting:
                one.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        await send(uploads, "ada")
        assert uploads._waiting == {}

    asyncio.run(context())


def test_what_is_remembered_is_bounded() -> None:
    watch = Watch()
    pace = Pace(4, watch)
    for number in range(MOST_REMEMBERED):
        pace.count(str(number))
    watch.now += 60
    pace.count("one more")
    assert len(pace._rests) == 1


def test_uploads_that_took_long_are_followed_by_a_rest() -> None:
    watch = Watch()
    paces = UploadPaces(uploads=100, seconds=20, clock=watch)
    paces.seconds.count("ada", 19)
    assert paces.find_refusal("ada") is None
    paces.seconds.count("ada", 6)
    refusal = paces.find_refusal("ada")
    assert refusal is not None
    assert refusal.retry_after == 15
    assert "more than 20 seconds of the server's time" in str(refusal)
    assert paces.find_refusal("bob") is None
    watch.now += 15
    assert paces.find_refusal("ada") is None
