"""What an organiser chooses on a page: rules as the texts of a form, and a form as edits of competition.toml."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from ladderboard.competition import Competition
from ladderboard.competition.rules.times import find_zone
from ladderboard.competition.rules.toml_edit import Key, TomlValue
from ladderboard.core.errors import ParameterError
from ladderboard.mechanisms import DEFAULT_MECHANISM, MECHANISMS
from ladderboard.metrics import METRICS
from ladderboard.metrics.positive import ask_for_positive

NO_LIMIT = "none"
VISIBILITIES = (
    ("public", "Everybody; it is on the list"),
    ("unlisted", "Whoever has its address"),
    ("private", "Members of a team only"),
)
REVEALS = (
    ("by hand", "When you say so"),
    ("deadline", "After the deadline, by itself"),
    ("never", "Never; the public board is all there is"),
)


@dataclass(frozen=True)
class Choice:
    """One choice of a form."""

    name: str
    label: str
    value: str
    hint: str = ""
    kind: str = "text"
    options: tuple[tuple[str, str], ...] = ()
    """Value and words, where one of several is chosen."""
    fault: str = ""


@dataclass(frozen=True)
class _Rule:
    """How a choice is written in competition.toml, and read from it."""

    key: Key
    read: Callable[[Competition], Any]
    parse: Callable[[str], TomlValue | None]


def _text(given: str) -> str | None:
    if not all(one.isprintable() or one.isspace() for one in given):
        raise ParameterError("this holds characters that cannot be shown; write plain text")
    return " ".join(given.split()) or None


def _number(given: str) -> int | None:
    if not given.strip():
        return None
    if not given.strip().isascii() or not given.strip().isdecimal() or len(given.strip()) > 9:
        raise ParameterError(f"{given!r} is not a whole number; write one, such as 5")
    return int(given)


def _limit(given: str) -> int | str:
    found = _number(given)
    return NO_LIMIT if found is None else found


def _share(given: str) -> float | None:
    try:
        share = float(given.replace("%", "").replace(",", ".")) / 100
    except ValueError:
        raise ParameterError(f"{given!r} is not a percentage; write a number, such as 50") from None
    if not 0 < share <= 1:
        raise ParameterError(f"{given!r} is not a share of the rows; write a number from 1 to 100")
    return round(share, 6)


def _time(given: str) -> datetime | None:
    try:
        return datetime.fromisoformat(given.strip()).replace(tzinfo=None) if given.strip() else None
    except ValueError:
        raise ParameterError(f"{given!r} is not a time; write one such as 2027-03-01T18:00") from None


def _zone(given: str) -> str:
    name = given.strip() or "UTC"
    find_zone(name)  # raises with what to do
    return name


def _write_time(at: datetime | None, competition: Competition) -> str:
    if at is None:
        return ""
    local = at.astimezone(competition.rules.zone())
    return local.strftime("%Y-%m-%dT%H:%M:%S" if local.second else "%Y-%m-%dT%H:%M")


def _write_reveal(competition: Competition) -> str:
    reveal = competition.rules.reveal
    return _write_time(reveal, competition) if isinstance(reveal, datetime) else reveal


def _write_share(competition: Competition) -> str:
    share = competition.solution_settings.public_share
    return "" if share is None else f"{100 * share:g}"


_RULES = {
    "title": _Rule(("", "title"), lambda one: one.rules.title, _text),
    "slug": _Rule(("", "slug"), lambda one: one.rules.slug, _text),
    "summary": _Rule(("", "summary"), lambda one: one.rules.summary, _text),
    "metric": _Rule(("", "metric"), lambda one: one.rules.metric, _text),
    "positive": _Rule(("", "positive"), lambda one: "" if _asks_for_positive(one) else one.rules.positive, _text),
    "public_share": _Rule(("solution", "public_share"), _write_share, _share),
    "mechanism": _Rule(("", "mechanism"), lambda one: one.rules.mechanism, _text),
    "per_day": _Rule(("limits", "per_day"), lambda one: one.rules.limits.per_day, _limit),
    "total": _Rule(("limits", "total"), lambda one: one.rules.limits.total, _limit),
    "largest": _Rule(("teams", "largest"), lambda one: one.rules.teams.largest, _number),
    "finals": _Rule(("", "finals"), lambda one: one.rules.finals, _number),
    "time_zone": _Rule(("", "time_zone"), lambda one: one.rules.time_zone, _zone),
    "opens": _Rule(("", "opens"), lambda one: _write_time(one.rules.opens, one), _time),
    "deadline": _Rule(("", "deadline"), lambda one: _write_time(one.rules.deadline, one), _time),
    "reveal": _Rule(("", "reveal"), _write_reveal, _text),
    "visibility": _Rule(("", "visibility"), lambda one: one.rules.visibility, _text),
}
NAMES = tuple(_RULES)
COMMITTED = ("slug", "metric", "positive", "public_share", "mechanism", "time_zone")
"""The choices that are fixed once a competition is published."""


def list_choices(
    competition: Competition,
    *,
    is_published: bool,
    given: Mapping[str, str] | None = None,
    faults: Mapping[str, str] | None = None,
) -> dict[str, Choice]:
    """List the choices of a form by name: as they are, or as they were ``given`` with what is wrong."""
    given, faults = given or {}, faults or {}
    now = _read(competition)
    found = {}
    for choice in _describe(competition):
        if not (is_published and choice.name in COMMITTED):
            value, fault = given.get(choice.name, now[choice.name]), faults.get(choice.name, "")
            options = choice.options
            if options and value not in [name for name, _ in options]:
                options = (*options, (value, value))
            found[choice.name] = Choice(choice.name, choice.label, value, choice.hint, choice.kind, options, fault)
    return found


def read_edits(
    competition: Competition, given: Mapping[str, str], *, is_published: bool
) -> tuple[dict[Key, TomlValue | None], dict[str, str]]:
    """The edits that a form asks for, and what is wrong with it by name; what stays as it was is no edit."""
    now, edits, faults = _read(competition), dict[Key, TomlValue | None](), dict[str, str]()
    for choice in _describe(competition):
        rule, text = _RULES[choice.name], given.get(choice.name)
        if text is None or text.strip() == now[choice.name] or (is_published and choice.name in COMMITTED):
            continue
        try:
            edits[rule.key] = rule.parse(text)
        except ParameterError as problem:
            faults[choice.name] = str(problem)
    metric = METRICS.get(given.get("metric", competition.rules.metric))
    if metric is not None and not metric.kind.has_positive and ("", "metric") in edits:
        edits["", "positive"] = None
    return edits, faults


def find_differences(before: Competition, after: Competition) -> list[str]:
    """Name the choices that differ, with what they are now."""
    old, new = _read(before), _read(after)
    return [f"{one.label}: {new[one.name] or 'nothing'}" for one in _describe(after) if old[one.name] != new[one.name]]


def _read(competition: Competition) -> dict[str, str]:
    values = {name: rule.read(competition) for name, rule in _RULES.items()}
    return {name: "" if value is None else str(value) for name, value in values.items()}


def _describe(competition: Competition) -> list[Choice]:
    """The choices that this competition has, in their order."""
    metrics = tuple((name, f"{one.title} ({name})") for name, one in sorted(METRICS.items()))
    boards = (one for one in MECHANISMS.values() if not one.certifies)
    order = sorted(boards, key=lambda one: one is not DEFAULT_MECHANISM)
    mechanisms = tuple((one.name, one.words.title) for one in order)
    lead = competition.mechanism.words.lead
    classes = _list_two_classes(competition)
    positive = Choice("positive", "Positive class", "", "What scores and probabilities are about.", "select", classes)
    share = Choice(
        "public_share",
        "Public rows, in percent",
        "",
        "The board uses these. The others decide in the end, and nobody can probe them.",
        "number",
    )
    own_split = competition.solution_settings.public_share is None
    return [
        Choice("title", "Title", ""),
        Choice("summary", "Summary", "", "One line for the list of competitions."),
        Choice("slug", "Address", "", "The end of its address: a-z, 0-9 and hyphens."),
        Choice("metric", "Score", "", "", "select", metrics),
        *([positive] if classes else []),
        *([] if own_split else [share]),
        Choice("mechanism", "Which scores the board shows", "", lead, "select", mechanisms),
        Choice("per_day", "Submissions per team and day", "", "Empty: no limit.", "number"),
        Choice("total", "Submissions per team in all", "", "Empty: no limit.", "number"),
        Choice("largest", "People in a team, at most", "", "1: everybody alone.", "number"),
        Choice("finals", "Submissions a team selects for the end", "", "", "number"),
        Choice("time_zone", "Time zone", "", "Of the times below, and of the days of the limits."),
        Choice("opens", "Opens", "", "Empty: at once.", "datetime-local"),
        Choice("deadline", "Deadline", "", "Empty: none.", "datetime-local"),
        Choice("reveal", "The private board is shown", "", "", "select", REVEALS),
        Choice("visibility", "Who sees it", "", "", "select", VISIBILITIES),
    ]


def _list_two_classes(competition: Competition) -> tuple[tuple[str, str], ...]:
    """The two classes of the labels, where one of them is positive; empty where there is none."""
    if competition.rules.positive is None:
        return ()
    classes = [str(one) for one in np.unique(competition.solution.labels).tolist()]
    return (*((("", "Please choose"),) if _asks_for_positive(competition) else ()), *((one, one) for one in classes))


POSITIVE_QUESTION = "which class is positive"


def ask_for_positive_class(competition: Competition) -> str:
    """Ask for the positive class, where that is an open question; else empty."""
    if not _asks_for_positive(competition):
        return ""
    first, second = np.unique(competition.solution.labels).tolist()
    return ask_for_positive(competition.metric.name, (first, second), "choose it below")


def _asks_for_positive(competition: Competition) -> bool:
    return any(POSITIVE_QUESTION in question for question in competition.questions)
