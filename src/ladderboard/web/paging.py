"""Long lists in parts: ``?limit=…&offset=…``, and the address of the next part."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query
from starlette.requests import Request

MOST = 500
USUAL = 100


@dataclass(frozen=True)
class Part:
    """Which part of a list is asked for."""

    limit: int
    offset: int

    def next(self, request: Request, total: int) -> str | None:
        """The address of what follows, without scheme and host; None at the end."""
        following = self.offset + self.limit
        if following >= total:
            return None
        url = request.url.include_query_params(limit=self.limit, offset=following)
        return f"{url.path}?{url.query}"


def _part(
    limit: Annotated[int, Query(ge=1, le=MOST, description="How many items.")] = USUAL,
    offset: Annotated[int, Query(ge=0, le=10**9, description="How many to pass over.")] = 0,
) -> Part:
    return Part(limit, offset)


AskedPart = Annotated[Part, Depends(_part)]
