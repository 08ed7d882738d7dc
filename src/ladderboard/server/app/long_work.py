"""Long work for one client: taken step by step in threads, and ended as soon as the client has left."""

from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from ladderboard.server.results.steps import Progress, Steps

Result = TypeVar("Result")


async def take_step(steps: Steps[Result]) -> tuple[Progress | None, Result | None]:
    """The progress after the next step; None and the result after the last."""
    return await run_in_threadpool(_take_step, steps)


async def finish_for(request: Request, steps: Steps[Result]) -> Result:
    """Take all steps. Raises `ClientDisconnect` where the client leaves before the last one."""
    try:
        while True:
            progress, result = await take_step(steps)
            if progress is None:
                return result  # type: ignore[return-value]  # after the last step there is one
            if await request.is_disconnected():
                raise ClientDisconnect
    finally:
        steps.close()


def _take_step(steps: Steps[Result]) -> tuple[Progress | None, Result | None]:
    # StopIteration cannot leave a thread of the event loop.
    try:
        return next(steps), None
    except StopIteration as end:
        return None, end.value
