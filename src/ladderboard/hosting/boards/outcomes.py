"""The outcomes of a team's submissions in words: what stood before each of them, and what became of it."""

from collections.abc import Sequence

from ladderboard.core.records import Release, State
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.mechanisms.outcomes import (
    Footing,
    Outcome,
    OutcomeName,
    describe_outcome,
    describe_repeat,
    name_outcome,
)
from ladderboard.planning.detectable import estimate_recognised_gain
from ladderboard.store import attempts, submissions
from ladderboard.store.database import Connection
from ladderboard.store.records import EntryKind, TeamRecord
from ladderboard.store.submissions import OwnSubmission


def describe_submission(
    connection: Connection,
    live: LiveCompetition,
    release: Release,
    *,
    team: TeamRecord,
    number: int,
    kind: EntryKind,
    incumbent: str | None = None,
) -> Outcome:
    """Describe the team's submission of that number on the board.

    ``incumbent`` is the submission that it was compared with, where that is at hand: finding it takes a while for a
    team of which many attempts were rejected.
    """
    is_shown = release.accepted or live.mechanism.tells_own_number()
    return describe_outcome(
        release,
        _find_footing(connection, live, team.id, release, before=number, incumbent=incumbent),
        mechanism=live.mechanism,
        lower_is_better=live.yardstick.lower_is_better,
        gain=None if is_shown else find_gain(connection, live, team),
        is_ranked=live.is_ranked,
        is_late=kind == "late",
    )


def describe_repetition(
    connection: Connection, live: LiveCompetition, release: Release, *, team: TeamRecord, submission: str
) -> Outcome:
    """Describe the answer to predictions that the team has sent before, as ``submission``."""
    last = submissions.find_last_accept(connection, team.id)
    incumbent = None if last is None else submissions.count_up_to(connection, team.id, last)
    first_sent = submissions.find_number(connection, submission)
    return describe_repeat(
        release,
        Footing(release.board_value, incumbent),
        attempt=submissions.count_up_to(connection, team.id, first_sent),
        mechanism=live.mechanism,
    )


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


def find_gain(connection: Connection, live: LiveCompetition, team: TeamRecord | None) -> float | None:
    """Find the gain that the board usually recognises at a team's next attempt; None: a team that has made none yet."""
    if live.is_ranked:
        return None  # it depends on the entry that holds the rank
    key = live.instance_key("" if team is None else team.id, "live")
    state = None if team is None else attempts.read_state(connection, live.slug, key)
    memory = live.memory(key, state)
    assert isinstance(memory, State), "each team has a memory of its own"
    return estimate_recognised_gain(live.mechanism, live.yardstick, memory)


def _find_footing(
    connection: Connection,
    live: LiveCompetition,
    team_id: str,
    release: Release,
    *,
    before: int,
    incumbent: str | None,
) -> Footing:
    """Find what the team stood on; the last proven entry only where the words speak of it."""
    at = (
        submissions.find_last_accept(connection, team_id, before=before)
        if incumbent is None
        else submissions.find_number(connection, incumbent)
    )
    proven = submissions.find_last_accept(connection, team_id, before=before, proven=True) if release.improved else None
    return Footing(
        _value_before(connection, live, team_id, before),
        None if at is None else submissions.count_up_to(connection, team_id, at),
        None if proven is None else submissions.count_up_to(connection, team_id, proven),
    )


def _value_before(connection: Connection, live: LiveCompetition, team_id: str, number: int) -> float | None:
    """The team's score on the board before its submission of that number."""
    earlier = submissions.find_outcome_before(connection, team_id, number)
    if earlier is not None:
        return earlier.board_value
    return live.baseline_value if live.mechanism.starts_from_baseline and not live.is_ranked else None
