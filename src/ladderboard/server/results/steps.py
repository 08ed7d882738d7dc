"""Long work in steps: a generator that says how far it is, and returns its result at the end.

Whoever pulls it decides whether it goes on: a page shows the progress and stops pulling when its reader has left. What
is not pulled any more ends there; nothing was stored.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Progress:
    """How far the work is, in a sentence."""

    sentence: str


Steps = Generator[Progress, None, Result]


def finish(steps: Steps[Result]) -> Result:
    """Take all steps at once.

    >>> def count():
    ...     yield Progress("one")
    ...     return 2
    >>> finish(count())
    2
    """
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
