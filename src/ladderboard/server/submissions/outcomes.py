"""The outcomes of a team's submissions in words: what stood before each of them, and what became of it."""

from collections.abc import Sequence

from ladderboard.core.gains import Gains
from ladderboard.core.records import BASELINE, Release, State, repeat_release
from ladderboard.guard.gains import estimate_gains
from ladderboard.mechanisms.outcomes import (
    Footing,
    Outcome,
    OutcomeName,
    describe_outcome,
    describe_repeat,
    name_outcome,
)
from ladderboard.mechanisms.rungs import find_state
from ladderboard.metrics.positive import describe_positive
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows import instances
from ladderboard.server.submissions.records import EntryKind, OwnSubmission
from ladderboard.server.submissions.sql import submissions
from ladderboard.server.teams.records import TeamRecord


def describe_submission(
    connection: Connection,
    live: LiveCompetition,
    release: Release,
    *,
    team: TeamRecord,
    number: int,
    kind: EntryKind,
    before: State | None = None,
) -> Outcome:
    """Describe the team's submission of that number on the board.

    ``before`` is what the mechanism remembered of the team, where that is at hand: finding the entries that it names
    takes a while for a team of which many attempts were rejected.
    """
    is_shown = release.accepted or live.mechanism.tells_own_number()
    return describe_outcome(
        release,
        _recall_footing(connection, live, team.id, before, number=number)
        if before is not None
        else _find_footing(connection, live, team.id, release, number=number),
        mechanism=live.mechanism,
        lower_is_better=live.yardstick.lower_is_better,
        scores=live.score_format,
        gains=None if is_shown else find_gains(connection, live, team),
        hint=_describe_positive(live),
        is_ranked=live.is_ranked,
        is_late=kind == "late",
    )


def _describe_positive(live: LiveCompetition) -> str | None:
    expected = live.competition.format
    return None if expected.positive is None else describe_positive(expected.takes, expected.positive)


def answer_repetition(
    connection: Connection,
    live: LiveCompetition,
    release: Release,
    *,
    team_id: str,
    submission: str,
    kind: EntryKind,
    state: str | None,
) -> tuple[Release, Outcome]:
    """Answer predictions that the team has sent before, as ``submission``: the board of today, and its words.

    ``state`` is the mechanism's memory as it is stored now.
    """
    now = find_state(live.memory(live.instance_key(team_id, kind), state), team_id)
    today = repeat_release(release, submission, now, live.mechanism.tell_interval(now, live.yardstick))
    outcome = describe_repeat(
        today,
        Footing(now.released, _count_attempt(connection, team_id, now.incumbent)),
        attempt=submissions.count_up_to(connection, team_id, submissions.find_number(connection, submission)),
        mechanism=live.mechanism,
        scores=live.score_format,
        hint=_describe_positive(live),
    )
    return today, outcome


def name_outcomes(connection: Connection, live: LiveCompetition, rows: Sequence[OwnSubmission]) -> list[OutcomeName]:
    """Name the outcomes of neighbouring submissions of one team, newest first as they are."""
    if not rows:
        return []
    names: list[OutcomeName] = []
    before = _value_before(connection, live, rows[-1].team_id, rows[-1].number)
    for row in reversed(rows):
        release = Release.from_dict(row.release)
        lower = live.yardstick.lower_is_better
        names.append(name_outcome(release, before=before, mechanism=live.mechanism, lower_is_better=lower))
        if row.phase != "late":
            before = release.board_value
    return names[::-1]


def find_gains(connection: Connection, live: LiveCompetition, team: TeamRecord | None) -> Gains:
    """Find what the board usually shows and proves at a team's next attempt; None: a team that has made none yet."""
    if live.is_ranked:
        return Gains()  # they depend on the entry that holds the rank
    key = live.instance_key("" if team is None else team.id, "live")
    state = None if team is None else instances.read_state(connection, live.slug, key)
    memory = live.memory(key, state)
    assert isinstance(memory, State), "each team has a memory of its own"
    return estimate_gains(live.mechanism, live.yardstick, memory)


def _recall_footing(
    connection: Connection, live: LiveCompetition, team_id: str, before: State, *, number: int
) -> Footing:
    """Recall what the team stood on from the mechanism's memory."""
    return Footing(
        _value_before(connection, live, team_id, number),
        _count_attempt(connection, team_id, before.incumbent),
        _count_attempt(connection, team_id, before.proof.submission),
    )


def _find_footing(
    connection: Connection, live: LiveCompetition, team_id: str, release: Release, *, number: int
) -> Footing:
    """Find what the team stood on then; the last proven entry only where the words speak of it."""
    at = submissions.find_last_accept(connection, team_id, before=number)
    proven = _find_proven(connection, live, team_id, number) if release.improved else None
    return Footing(
        _value_before(connection, live, team_id, number),
        None if at is None else submissions.count_up_to(connection, team_id, at),
        None if proven is None else submissions.count_up_to(connection, team_id, proven),
    )


def _find_proven(connection: Connection, live: LiveCompetition, team_id: str, number: int) -> int | None:
    """The number of the entry that was proven last: of merged teams the better one.

    Version 0.1.0 said the word by another rule; its entries have no standard error, and are not the ones to beat.
    """
    found = [
        one
        for one in submissions.list_improved(connection, team_id, before=number)
        if one.board_value is not None and one.release.get("standard_error") is not None
    ]
    best = min(found, key=lambda one: live.yardstick.loss(one.board_value or 0.0), default=None)
    return None if best is None else best.number


def _count_attempt(connection: Connection, team_id: str, submission: str) -> int | None:
    """Which attempt of the team a submission is; None for the baseline, and for another team's."""
    number = None if submission == BASELINE else submissions.find_own_number(connection, team_id, submission)
    return None if number is None else submissions.count_up_to(connection, team_id, number)


def _value_before(connection: Connection, live: LiveCompetition, team_id: str, number: int) -> float | None:
    """The team's score on the board before its submission of that number."""
    earlier = submissions.find_outcome_before(connection, team_id, number)
    if earlier is not None:
        return earlier.board_value
    return live.baseline_value if live.mechanism.starts_from_baseline and not live.is_ranked else None
