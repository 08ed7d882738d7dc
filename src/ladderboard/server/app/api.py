"""What addresses share: what they ask for by type, bodies, pages of a list, ETags, and long work for one client."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict, StringConstraints
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import URL
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ladderboard.server.app.records import Page
from ladderboard.server.people.accounts import Accounts
from ladderboard.server.results.steps import Progress, Steps
from ladderboard.server.services import Services

PREFIX = "/api/v1"
"""Of every address of the API, version 1."""


async def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


async def _accounts(request: Request) -> Accounts:
    accounts: Accounts = request.app.state.accounts
    return accounts


async def _address(request: Request) -> str:
    """The client's address. Uvicorn trusts X-Forwarded-For from ``settings.trusted_proxies`` only."""
    return request.client.host if request.client is not None else ""


TheServices = Annotated[Services, Depends(_services)]
TheAccounts = Annotated[Accounts, Depends(_accounts)]
Address = Annotated[str, Depends(_address)]


LONGEST_NAME = 200
"""As it is read; how long a name may be is said by `people.names`, with better words."""


class Input(BaseModel):
    """A JSON object; a field that is not known is refused, as it is probably misspelled."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# PostgreSQL keeps no NUL in a text, so that none may come as far as there.
_NO_NUL = r"^[^\x00]*$"

Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME, pattern=_NO_NUL)]
Password = Annotated[str, StringConstraints(max_length=1000, pattern=_NO_NUL)]
Code = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=_NO_NUL)]
Line = Annotated[str, StringConstraints(max_length=200, pattern=_NO_NUL)]
"""A short text for people."""


MOST = 500
USUAL = 100

Item = TypeVar("Item")


@dataclass(frozen=True)
class Part:
    """The part of a list that a request asks for."""

    limit: int
    offset: int
    url: URL

    def page(self, items: list[Item], total: int) -> Page[Item]:
        """The page, with the path of the next one."""
        following = self.offset + self.limit
        if following >= total:
            return Page(items, total)
        url = self.url.include_query_params(limit=self.limit, offset=following)
        return Page(items, total, f"{url.path}?{url.query}")


async def _part(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=MOST, description="How many to return.")] = USUAL,
    offset: Annotated[int, Query(ge=0, le=10**9, description="How many to skip.")] = 0,
) -> Part:
    return Part(limit, offset, request.url)


Paging = Annotated[Part, Depends(_part)]


def tag_response(
    request: Request,
    content: bytes | Callable[[], bytes],
    *,
    media_type: str = "application/json",
    tag: str | None = None,
    kept: Literal["public", "private"] = "private",
) -> Response:
    """``content`` with its ETag, or 304 where the asker has it already.

    ``tag`` stands for the content (a version), which is then made only if it is sent; None: a hash of it. It may be
    kept, but never used without asking: ``no-cache``; by proxies only where it is the same for everybody (``public``).
    """
    if tag is None:
        content = content if isinstance(content, bytes) else content()
        tag = hashlib.sha256(content).hexdigest()[:32]
    tag = f'"{tag}"'
    headers = {"ETag": tag, "Cache-Control": f"{kept}, no-cache", "Vary": "Accept-Encoding, Authorization, Cookie"}
    if is_held(request, tag):
        return Response(status_code=304, headers=headers)
    return Response(content if isinstance(content, bytes) else content(), media_type=media_type, headers=headers)


def is_held(request: Request, tag: str) -> bool:
    """Whether the client already has the version with this ETag (given with its quotes)."""
    given = request.headers.get("if-none-match")
    if given is None:
        return False
    held = {one.strip().removeprefix("W/") for one in given.split(",")}
    return "*" in held or tag in held


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
