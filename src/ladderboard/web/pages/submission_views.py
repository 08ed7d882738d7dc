"""What became of a submission, in words: the number, whether it improved, and why that is not the raw score."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup
from sqlalchemy import Connection, Row

from ladderboard.hosting.standings import Place, place_of
from ladderboard.store import histories, teams
from ladderboard.web import charts
from ladderboard.web.pages.board_views import range_of, span_of
from ladderboard.web.pages.mechanism_words import words_of
from ladderboard.web.pages.scene import Scene
from ladderboard.web.text import score

NOTE_LENGTH = 2000

OUTCOMES = {"improved": ("improved", "good"), "accepted": ("accepted", ""), "not accepted": ("not accepted", "")}


@dataclass(frozen=True)
class Result:
    """The page of one submission."""

    id: str
    attempt: int
    tone: str
    board_value: str
    verdict: str
    sentences: tuple[str, ...]
    why: tuple[str, ...]
    rank: str
    range: str
    whisker: Markup
    interval: str
    left: str
    file_href: str
    file_name: str
    file_size: int
    received_at: datetime
    submitted_by: str | None
    note: str
    is_repeat: bool
    note_length: int = NOTE_LENGTH


def result_of(connection: Connection, scene: Scene, row: Row[Any], *, is_repeat: bool) -> Result:
    """The result of one of the team's own submissions; ``row`` is `ladderboard.store.submissions.SHOWN`."""
    release = row.release
    earlier = histories.before(connection, row.team_id, row.number)
    place = place_of(connection, scene.hosted, teams.get(connection, row.team_id))
    words = words_of(scene.hosted.rules.mechanism)
    interval = release["interval"]
    return Result(
        id=row.id,
        attempt=histories.ordinal(connection, row.team_id, row.number),
        tone="improved" if release["improved"] else "",
        board_value=score(release["board_value"]),
        verdict=_verdict(release),
        sentences=_sentences(release, None if earlier is None else earlier.board_value, row.phase),
        why=() if words is None else words.reading,
        rank=rank_words(place),
        range=range_words(place),
        whisker=_whisker(place, scene.teams),
        interval="" if interval is None else f"{score(interval[0])} to {score(interval[1])}",
        left=left_words(scene),
        file_href=f"{scene.path}/submissions/{row.id}/file",
        file_name=row.file_name or "submission",
        file_size=row.file_size,
        received_at=scene.in_zone(row.received_at),
        submitted_by=histories.sender(connection, row.id),
        note=row.note,
        is_repeat=is_repeat,
    )


def outcome_of(release: Mapping[str, Any]) -> tuple[str, str]:
    """A word for a submission, and its tone."""
    if release["improved"]:
        return OUTCOMES["improved"]
    return OUTCOMES["accepted" if release["accepted"] else "not accepted"]


def rank_words(place: Place) -> str:
    """A rank for people."""
    return "none yet" if place.rank is None else f"{place.rank:,}"


def range_words(place: Place) -> str:
    """Plausible ranks for people."""
    return range_of(place).replace("–", " to ")


def left_words(scene: Scene) -> str:
    """What the team may still ask."""
    quota = scene.shown.quota
    if quota is None or quota.left is None:
        return "no limit"
    today = f"{quota.left_today} today" if quota.left_today is not None else ""
    in_all = f"{max(0, quota.total - quota.used)} in all" if quota.total is not None else ""
    return ", ".join(part for part in (today, in_all) if part)


def _verdict(release: Mapping[str, Any]) -> str:
    if release["improved"]:
        return "Improved"
    if release["accepted"]:
        return "Accepted"
    return "Not accepted: your number stays"


def _sentences(release: Mapping[str, Any], before: float | None, phase: str) -> tuple[str, ...]:
    said = []
    now = release["board_value"]
    if phase == "late":
        said.append("This came after the deadline. It stands apart from the board and is not comparable.")
    if release["accepted"]:
        moved = before is not None and before != now
        said.append(
            f"Your number went from {score(before)} to {score(now)}." if moved else f"Your number is {score(now)}."
        )
        said.append(
            "The gain also holds up against the number of attempts that your team has made."
            if release["improved"]
            else "It passed the gate, but the gain is not large enough to be called an improvement for certain."
        )
    elif now is None:
        said.append("There is no number for your team yet: no entry has shown that it is better than the baseline.")
    else:
        said.append(
            "There is not enough evidence that this entry is better than your best one. That is the common case, "
            "and no "
            "judgement of your idea: larger steps are seen."
        )
    return tuple(said)


def _whisker(place: Place, all_teams: int) -> Markup:
    span = span_of(place)
    if span is None or place.rank is None:
        return Markup("")
    axis = charts.RankAxis(1, max(all_teams, span[1], 2))
    return charts.rank_whisker(*span, rank=place.rank, axis=axis)
