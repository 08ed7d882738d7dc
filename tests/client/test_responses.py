from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

import ladderboard as lb
from ladderboard.client.responses import read_response
from ladderboard.server.app.records import Page
from ladderboard.server.submissions.records import RankRangeBody


@dataclass(frozen=True)
class Entry:
    name: str
    value: float | None
    at: datetime
    ranks: RankRangeBody | None = None


ENTRY = {"name": "ada", "value": 1, "at": "2026-03-01T12:00:00+00:00"}


def test_a_page_of_entries_is_read_to_its_leaves() -> None:
    told = {"items": [{**ENTRY, "ranks": {"best": 1, "worst": 2}}], "total": 7, "next": None}
    page = read_response(Page[Entry], told)
    assert page == Page([Entry("ada", 1.0, datetime(2026, 3, 1, 12, tzinfo=UTC), RankRangeBody(1, 2))], 7)
    assert isinstance(page.items[0].value, float)


def test_what_a_later_version_adds_is_ignored() -> None:
    assert read_response(Entry, {**ENTRY, "new": [1]}) == read_response(Entry, ENTRY)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"name": 3}, "answer.name"),
        ({"value": "high"}, "answer.value"),
        ({"value": True}, "answer.value"),
        ({"at": "yesterday"}, "answer.at"),
        ({"at": None}, "answer.at"),
        ({"ranks": {"best": 1}}, "no 'worst'"),
        ({"ranks": [1, 2]}, "answer.ranks"),
    ],
)
def test_what_is_no_such_answer_is_refused_with_its_place(change: dict[str, Any], place: str) -> None:
    with pytest.raises(lb.AnswerError, match=place):
        read_response(Entry, {**ENTRY, **change})


def test_what_lacks_is_named() -> None:
    with pytest.raises(lb.AnswerError, match="has no 'name'"):
        read_response(Entry, {})
    with pytest.raises(lb.AnswerError, match="not of type dict"):
        read_response(Entry, None)
