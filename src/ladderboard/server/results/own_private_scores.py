"""The private scores of a team's own submissions, for the team, once the private board is revealed.

They are computed when somebody asks: most submissions are never asked for. Late entries have none: with the private
score of what one sends after the reveal, the private rows would answer anybody. Where the rules keep the solution
secret, a team learns the score of the submission that counted and no other.
"""

from collections.abc import Iterable

from ladderboard.server.competitions import sql as competitions
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection
from ladderboard.server.results.private_scores import compute_score
from ladderboard.server.results.score_formats import round_private_score
from ladderboard.server.results.sql import results
from ladderboard.server.submissions.records import OwnSubmission

MOST_BYTES = 32 << 20
"""Of the files that one request reads; the page of a submission always has its own."""


def find_private_scores(
    connection: Connection, live: LiveCompetition, rows: Iterable[OwnSubmission]
) -> dict[str, float]:
    """Submission → its private score as it is published; what has none, or none yet, is not in it."""
    competition = competitions.read_competition(connection, live.slug)
    if competition.revealed_at is None or live.competition.private is None:
        return {}
    if competition.scoring_version != live.scoring_version:
        return {}
    timely = [row for row in rows if row.phase != "late"]
    if not live.rules.publish_solution:
        return _find_counted(connection, live, timely)
    return _compute(live, timely)


def _find_counted(connection: Connection, live: LiveCompetition, rows: Iterable[OwnSubmission]) -> dict[str, float]:
    board = results.find_result(connection, live.slug, live.scoring_version)
    counted = {} if board is None else {row["submission"]: row["value"] for row in board.result["rows"]}
    return {row.id: counted[row.id] for row in rows if counted.get(row.id) is not None}


def _compute(live: LiveCompetition, rows: Iterable[OwnSubmission]) -> dict[str, float]:
    found: dict[str, float] = {}
    size = 0
    for row in rows:
        if row.id not in live.private_scores:
            size += row.file_size
            if size > max(MOST_BYTES, row.file_size):
                continue
            live.private_scores[row.id] = _score(live, row)
        score = live.private_scores[row.id]
        if score is not None:
            found[row.id] = score
    return found


def _score(live: LiveCompetition, row: OwnSubmission) -> float | None:
    key = live.competition.private
    assert key is not None
    predictions = live.evaluations.read(live.files.read(row.file_digest))
    private = predictions[live.competition.solution.rows("Private")]
    score = compute_score(key.evaluate(private, submission=row.id))
    return None if score is None else round_private_score(score, key.yardstick)
