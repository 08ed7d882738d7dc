"""The private board: the better of each team's finals, rank ranges, the winner without luck, and the shake-up.

For each team the better of its final submissions on the private rows counts. Rank ranges are paired and hold all at
once; the estimate of the winner's true score corrects for the choice among *all* final submissions, so for a team's
choice between its own two as well. Private scores are published once, rounded to a hundredth of a null standard error;
equal published scores share a rank.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy.typing as npt

from ladderboard.core.records import Yardstick
from ladderboard.core.words import pluralise
from ladderboard.inference.contrasts import REPLICATES, draw_contrasts, make_generator
from ladderboard.inference.covariance import PairedMeans, paired_means
from ladderboard.inference.many_systems import MOST_SIMULATED, ManyMeans, many_means, rank_many
from ladderboard.inference.rank_ranges import RankRange, certainly_worse, find_ranges
from ladderboard.server.results.luck import luck_of
from ladderboard.server.results.private_scores import FinalScore, PrivateScores, round_private_score
from ladderboard.server.results.records import LuckBody, PrivateStandingBody
from ladderboard.server.results.steps import Progress, Steps
from ladderboard.server.submissions.records import RankRangeBody
from ladderboard.server.teams.records import TeamKind

CONFIDENCE = 0.95
MOST_DRAWS = 20_000_000
FEWEST_REPLICATES = 2000


@dataclass(frozen=True)
class Competitor:
    """A team or baseline with its public rank."""

    id: str
    name: str
    kind: TeamKind
    public_rank: int | None
    public_value: float | None
    finals_are_picked: bool = False


@dataclass(frozen=True)
class PrivateBoard:
    """The private board, ready for JSON."""

    has_private_rows: bool
    metric: str
    lower_is_better: bool
    units: int
    confidence: float
    rows: tuple[PrivateStandingBody, ...]
    luck: LuckBody | None
    statement: str
    """What the board says, in sentences."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def private_board(
    scores: PrivateScores, competitors: Sequence[Competitor], yardstick: Yardstick, *, seed: int = 0
) -> Steps[PrivateBoard]:
    """The board from scored finals. ``yardstick`` is that of the private rows."""
    best = _best_finals(scores, yardstick)
    ranked = [one for one in competitors if one.kind == "team" and best[one.id].score is not None]
    means = None if scores.losses is None else _compute_means(scores.losses)
    ranges = yield from _compare_teams(means, [best[one.id] for one in ranked], seed)
    losses = {one.id: yardstick.loss(round_private_score(best[one.id].score, yardstick)) for one in ranked}
    order = sorted(losses.values())
    placed = []
    for competitor in competitors:
        row = _row(competitor, best[competitor.id], yardstick)
        if competitor.id in losses:
            row = _place(row, competitor, losses[competitor.id], order, ranges.get(competitor.id))
        placed.append(row)
    names = {one.id: one.name for one in competitors}
    contenders = sum(row.could_be_best for row in placed)
    luck = None
    if means is not None and ranked:
        luck = luck_of(means, scores, names, yardstick, contenders=contenders, teams=len(ranked), confidence=CONFIDENCE)
    return PrivateBoard(
        has_private_rows=True,
        metric=yardstick.metric,
        lower_is_better=yardstick.lower_is_better,
        units=yardstick.units,
        confidence=CONFIDENCE,
        rows=tuple(sorted(placed, key=lambda row: _display(row, yardstick))),
        luck=luck,
        statement=board_in_words(
            None if luck is None else luck.sentence,
            moves=[row.moved for row in placed if row.moved is not None],
            missing=sum(row.kind == "team" and row.value is None for row in placed),
            ranked=len(ranked),
        ),
    )


def _place(
    row: PrivateStandingBody, competitor: Competitor, loss: float, order: Sequence[float], found: RankRange | None
) -> PrivateStandingBody:
    """The row of a ranked team with its place among the sorted losses of all."""
    rank = 1 + bisect_left(order, loss)
    span = None if found is None else _enclose(found, rank)
    return replace(
        row,
        rank=rank,
        rank_range=span,
        group=None if found is None else found.group,
        is_tied=bisect_right(order, loss) > rank,
        could_be_best=len(order) == 1 if span is None else span.best == 1,
        moved=None if competitor.public_rank is None else competitor.public_rank - rank,
    )


def _best_finals(scores: PrivateScores, yardstick: Yardstick) -> dict[str, FinalScore]:
    """For each team the better of its finals; the earlier of equal ones, and any rather than one without a score."""
    best: dict[str, FinalScore] = {}
    for one in scores.scores:
        other = best.get(one.final.team_id)
        if (
            other is None
            or other.score is None
            or (one.score is not None and yardstick.is_better(one.score, than=other.score))
        ):
            best[one.final.team_id] = one
    return best


def _compute_means(losses: npt.NDArray[Any]) -> PairedMeans | ManyMeans:
    """The means of the finals; of few with the covariance of all of them."""
    return many_means(losses) if len(losses) > MOST_SIMULATED else paired_means(losses.T)


def _compare_teams(
    means: PairedMeans | ManyMeans | None, best: Sequence[FinalScore], seed: int
) -> Steps[dict[str, RankRange]]:
    """Compute the rank ranges by team."""
    if means is None or not best:
        return {}
    columns = [one.column for one in best if one.column is not None]
    if isinstance(means, ManyMeans):
        ranges = yield from _rank_many(means.of(columns))
    else:
        ranges = _rank_few(means.of(columns), seed)
    return dict(zip([one.final.team_id for one in best], ranges, strict=True))


def _rank_few(paired: PairedMeans, seed: int) -> list[RankRange]:
    replicates = min(REPLICATES, max(FEWEST_REPLICATES, MOST_DRAWS // len(paired.means)))
    contrasts = draw_contrasts(paired, replicates=replicates, rng=make_generator(seed))
    return find_ranges(paired, certainly_worse(paired, contrasts, confidence=CONFIDENCE))


def _rank_many(many: ManyMeans) -> Steps[list[RankRange]]:
    steps, total = rank_many(many, CONFIDENCE), f"{len(many.means):,}"
    while True:
        try:
            done = next(steps)
        except StopIteration as end:
            ranges: list[RankRange] = end.value
            return ranges
        yield Progress(f"{done:,} of {total} teams compared with all others")


def _row(competitor: Competitor, best: FinalScore, yardstick: Yardstick) -> PrivateStandingBody:
    return PrivateStandingBody(
        team=competitor.name,
        kind=competitor.kind,
        rank=None,
        rank_range=None,
        group=None,
        is_tied=False,
        could_be_best=False,
        moved=None,
        value=None if best.score is None else round_private_score(best.score, yardstick),
        public_rank=competitor.public_rank,
        public_value=competitor.public_value,
        submission=best.final.submission_id,
        finals_are_picked=competitor.finals_are_picked,
    )


def _enclose(found: RankRange, rank: int) -> RankRangeBody:
    """Extend the range to the rank itself, which rounding may have moved by a tie."""
    return RankRangeBody(min(found.best, rank), max(found.worst, rank))


def _display(row: PrivateStandingBody, yardstick: Yardstick) -> tuple[bool, float, bool, int]:
    """Best first, baselines in their places, without a score last; equal ones as on the public board."""
    loss = 0.0 if row.value is None else yardstick.loss(row.value)
    return row.value is None, loss, row.kind == "team", row.public_rank or 1 << 60


def board_in_words(luck: str | None, *, moves: Sequence[int], missing: int, ranked: int) -> str:
    """The statement of a board: ``luck``, how far teams moved, and how many have no score."""
    if not ranked:
        return "No team has a score on the private rows."
    found = [] if luck is None else [luck]
    if len(moves) > 1:
        mean, most = sum(map(abs, moves)) / len(moves), max(map(abs, moves))
        message = (
            f"From the public to the private board a team moved by {mean:.1f} ranks on average, at most by {most}."
        )
        found.append(message)
    if missing:
        found.append(pluralise("{n} team has no score and no rank.", "{n} teams have no score and no rank.", missing))
    return " ".join(found)
