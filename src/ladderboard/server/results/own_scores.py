"""A team's own scores after the reveal: each submission on the public and on the private rows, and the best pick.

They are computed when somebody asks: most submissions are never asked for. Late entries have none: with the private
score of what one sends after the reveal, the private rows would answer anybody. Where the rules keep the solution
secret, a team learns the private score of the submission that counted and no other number.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ladderboard.core.score_format import ScoreFormat
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.inputs import Array
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows import competitions, results
from ladderboard.server.results.private_scores import compute_score, find_private_format
from ladderboard.server.results.records import BestPickBody
from ladderboard.server.submissions.records import OwnScores, OwnSubmission

MOST_OWN_BYTES = 32 << 20
"""Of the files that one request reads; the page of a submission always has its own."""


def find_own_scores(
    connection: Connection, live: LiveCompetition, rows: Iterable[OwnSubmission]
) -> dict[str, OwnScores]:
    """Submission → its scores as they are published; what has none to show, or none yet, is not in it."""
    competition = competitions.read_competition(connection, live.slug)
    if competition.revealed_at is None or competition.scoring_version != live.scoring_version:
        return {}
    timely = [row for row in rows if row.phase != "late"]
    if live.rules.publish_solution:
        return _compute(live, timely)
    counted = {row["submission"]: row["value"] for row in _read_board(connection, live)}
    return {row.id: OwnScores(None, counted[row.id]) for row in timely if row.id in counted}


def find_best_pick(connection: Connection, live: LiveCompetition, rows: Sequence[OwnSubmission]) -> BestPickBody | None:
    """The best of a team's submissions on the private rows, the earliest of equal ones, beside the one that counted.

    ``rows`` are all submissions of the team, newest first. None before the reveal, where there are no private rows,
    where the solution stays secret, while some scores are still to be computed, and where nothing of the team counted.
    """
    key = live.competition.private
    if key is None or not live.rules.publish_solution:
        return None
    found = find_own_scores(connection, live, rows)
    timely = [row.id for row in reversed(rows) if row.phase != "late"]
    if any(one not in found for one in timely):
        return None
    board = _read_board(connection, live)
    counted = next((row for row in board if row["submission"] in found), None)
    private = {one: score for one in timely if (score := found[one].private) is not None}
    if counted is None or not private:
        return None
    best = min(private, key=lambda one: key.yardstick.loss(private[one]))
    rivals = [row["value"] for row in board if row["rank"] is not None and row is not counted]
    pick = BestPickBody(
        id=best,
        attempt=1 + [row.id for row in reversed(rows)].index(best),
        private_value=private[best],
        rank=None if counted["rank"] is None else 1 + sum(_is_better(key, one, private[best]) for one in rivals),
        counted_id=counted["submission"],
        counted_private_value=counted["value"],
        counted_rank=counted["rank"],
        sentence="",
    )
    return replace(pick, sentence=describe_best_pick(pick, find_private_format(live)))


def describe_best_pick(pick: BestPickBody, scores: ScoreFormat) -> str:
    """Say what would have been the best pick, in the same words everywhere.

    >>> pick = BestPickBody("b", 4, 0.871, 2, "a", 0.866, 5, "")
    >>> describe_best_pick(pick, ScoreFormat(decimals=3)).split(". ")[0]
    'Attempt 4 has your best private score, 0.871: rank 2 with it, instead of rank 5 with 0.866'
    """
    value, counted = scores.write(pick.private_value), scores.write(pick.counted_private_value)
    if pick.private_value == pick.counted_private_value:
        return f"What counted is your best: none of your files has a better private score than {value}."
    ranks = f"rank {pick.rank} with it, instead of rank {pick.counted_rank} with {counted}"
    if pick.rank == pick.counted_rank:
        ranks = f"what counted has {counted}, and the rank would be the same"
    return (
        f"Attempt {pick.attempt} has your best private score, {value}: {ranks}. Nobody could know that before the "
        "reveal, and the best of many files is partly luck."
    )


def _is_better(key: AnswerKey, value: float, than: float) -> bool:
    return key.yardstick.loss(value) < key.yardstick.loss(than)


def _read_board(connection: Connection, live: LiveCompetition) -> list[dict[str, Any]]:
    board = results.find_result(connection, live.slug, live.scoring_version)
    return [] if board is None else board.result["rows"]


def _compute(live: LiveCompetition, rows: Iterable[OwnSubmission]) -> dict[str, OwnScores]:
    found: dict[str, OwnScores] = {}
    size = 0
    for row in rows:
        if row.id not in live.own_scores:
            size += row.file_size
            if size > max(MOST_OWN_BYTES, row.file_size):
                continue
            live.own_scores[row.id] = _score(live, row)
        found[row.id] = live.own_scores[row.id]
    return found


def _score(live: LiveCompetition, row: OwnSubmission) -> OwnScores:
    values = live.evaluations.recall(row.stored)
    competition = live.competition
    final = find_private_format(live)
    # As the board writes its scores; where it fixes no digits, as the final board does.
    public = final if live.score_format == ScoreFormat() else live.score_format
    return OwnScores(
        public=_score_part(competition.public, values[competition.solution.rows("Public")], row.id, public),
        private=None
        if competition.private is None
        else _score_part(competition.private, values[competition.solution.rows("Private")], row.id, final),
    )


def _score_part(key: AnswerKey, predictions: Array, submission: str, scores: ScoreFormat) -> float | None:
    """The score as it is published."""
    score = compute_score(key.evaluate(predictions, submission=submission))
    return None if score is None else scores.round(score)
