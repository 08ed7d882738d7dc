"""What the tests of submissions share."""

import pytest

from ladderboard.tabular import fast
from ladderboard.tabular.small import SMALL


@pytest.fixture(params=[0, SMALL], ids=["with polars", "small"])
def each_fast_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same files once for each of the fast ways."""
    monkeypatch.setattr(fast, "SMALL", request.param)
