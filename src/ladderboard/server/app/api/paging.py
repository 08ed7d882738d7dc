"""Paging of API lists: ``?limit=…&offset=…``, and the address of the next page."""

from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Query
from starlette.datastructures import URL
from starlette.requests import Request

from ladderboard.server.app.records import Page

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
