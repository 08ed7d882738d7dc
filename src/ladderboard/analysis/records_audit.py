"""The audit of records: which "new state of the art" claims of a time-ordered board are real.

A record is claimed whenever an entry scores better than all before it. Most boards show many more records than there
were improvements: the best of many equal systems rises by luck alone. Entries of one date are one batch: nobody knows
which came first, so only the best of them can be a record, and its p-value counts all of them that beat the old one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
import numpy.typing as npt

from ladderboard.analysis.climbs import Climb, climb
from ladderboard.analysis.noisy_records import judge_noisy_records, require_runs
from ladderboard.core.arrays import refuse_first
from ladderboard.core.errors import InputError, ParameterError
from ladderboard.core.randomness import secret_from_seed
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.core.ties import is_lower
from ladderboard.inference.checks import check_count
from ladderboard.inference.clusters import read_groups
from ladderboard.inference.covariance import GroupLabels, paired_means, read_losses
from ladderboard.inference.holm import holm
from ladderboard.inference.pairwise import p_value_of_differences
from ladderboard.mechanisms import list_compared, make_mechanism, refuse_certifying, require_scores
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.mean_loss import MeanLoss


@dataclass(frozen=True)
class RecordClaim:
    """An entry that was better than all before it.

    ``improvement`` is over the record before; ``p_value`` of "no better than the record before", one-sided;
    ``adjusted_p_value`` by Holm over all claims; ``is_real``: it is at most α. ``accepted_by`` names the ladders that
    would have accepted the entry when it came. ``luck_before``: what was deducted from the record before (``repeats``).
    """

    system: str
    position: int
    loss: float
    improvement: float
    p_value: float
    adjusted_p_value: float
    is_real: bool
    accepted_by: tuple[str, ...]
    luck_before: float = 0.0


@dataclass(frozen=True)
class RecordsAudit:
    """The claims in the order of time, and what each ladder would have shown after each entry (as a loss)."""

    systems: tuple[str, ...]
    losses: tuple[float, ...]
    claims: tuple[RecordClaim, ...]
    boards: dict[str, tuple[float | None, ...]]
    alpha: float

    @property
    def survivors(self) -> tuple[RecordClaim, ...]:
        """The claims that are real improvements over the record before them."""
        return tuple(claim for claim in self.claims if claim.is_real)

    def sentence(self) -> str:
        """The finding in plain words."""
        claimed, real = len(self.claims), len(self.survivors)
        if claimed == 0:
            return "No record was claimed after the first entry."
        counts = {name: sum(name in claim.accepted_by for claim in self.claims) for name in self.boards}
        ladders = ", ".join(f"the {name.replace('_', ' ')} {count}" for name, count in counts.items())
        told = f"{real} of them can be" if claimed > 1 else f"it can{'' if real else 'not'} be"
        steps = "record was" if claimed == 1 else "records were"
        verdict = f"{claimed} {steps} claimed after the first entry; {told} told from luck"
        asked = f" Would have been accepted: by {ladders}." if ladders else ""
        return f"{verdict} (Holm, α = {self.alpha:g}).{asked}"


def audit_records(
    loss_matrix: npt.ArrayLike,
    order: Sequence[int | str] | None = None,
    *,
    alpha: float = 0.05,
    bounds: tuple[float, float] | None = None,
    groups: GroupLabels | None = None,
    batches: Sequence[object] | None = None,
    variants: Sequence[int] | None = None,
    ladders: Sequence[str | Mechanism] | None = None,
    repeats: bool = False,
    seed: int = 0,
) -> RecordsAudit:
    """Audit a board whose losses on every item are known.

    ``loss_matrix`` is items × systems, lower is better; ``order`` lists the columns in the order of time, by number or
    by the names of a `LossMatrix` (default: as they stand). Each claim is tested on the same items as the record before
    it: exact McNemar for 0/1 losses, Student's t otherwise. ``groups`` has a label for each item whose items are not
    independent (default: those of a `LossMatrix`): claims are then tested, and ladders split, by groups. ``batches``
    has one label for each entry in that order; neighbours with the same one came at the same time (default without
    ``order``: the days of a `LossMatrix` with dates). ``variants`` says how many variants each entry is the best of:
    the others were scored on the same items and not shown, so the p-value is multiplied by their number. ``ladders``
    are asked about every entry in turn; the first entry is what they start from. By default those are asked whose
    trait ``is_compared`` says so. ``repeats``: the runs of a `LossMatrix` with seeds, prompts or repeats would come out
    otherwise another time; their variance is in every test, and the luck of the record before is deducted.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> skill = [0.40, 0.40, 0.30, 0.30, 0.30, 0.30]
    >>> audit = audit_records(rng.random((1000, 6)) < skill)
    >>> [(claim.system, claim.is_real) for claim in audit.claims]
    [('1', False), ('2', True), ('4', False), ('5', False)]
    """
    require_runs(loss_matrix, repeats=repeats)
    losses, systems, columns = _read(loss_matrix, order)
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha is {alpha}; it must lie between 0 and 1")
    metric = MeanLoss(losses, bounds)
    asked = [make_mechanism(one) for one in (list_compared() if ladders is None else ladders)]
    for one in asked:
        require_scores(one, "it recognises no record")
        refuse_certifying(one, "the systems of a board were chosen on this one")
    codes = read_groups(groups if groups is not None else getattr(loss_matrix, "groups", None), len(losses))
    climbs = _ask_ladders(losses, metric, asked, seed, codes)
    means = losses.mean(axis=0)
    if batches is None and order is None:
        batches = _find_days(loss_matrix, systems)
    labels = _check_batches(batches, len(means))
    records = find_records(means, labels)
    if repeats:
        paired = paired_means(loss_matrix, groups=groups).of(columns)
        p_values, luck = judge_noisy_records(losses, paired, records, _list_batches(len(means), labels))
        chances = sum(_check_variants(variants, len(means))[1:])
        return _audit(systems, means, p_values, climbs, alpha=alpha, batches=labels, noisy=(luck, chances))
    p_values = [
        _compare_records(losses[:, before] - losses[:, now], metric, codes) for before, now in pairwise(records)
    ]
    tried = _count_tries(means, records, labels, p_values, variants)
    return _audit(systems, means, tried, climbs, alpha=alpha, batches=labels)


def audit_scores(
    scores: npt.ArrayLike,
    test_size: int,
    *,
    systems: Sequence[str] | None = None,
    lower_is_better: bool = False,
    bounds: tuple[float, float] = (0.0, 1.0),
    correlation: float = 0.0,
    alpha: float = 0.05,
    step_size: float | None = None,
    batches: Sequence[object] | None = None,
    variants: Sequence[int] | None = None,
) -> RecordsAudit:
    """Audit a board of which only the scores, in the order of time, and the number of test items are known.

    The variance of one item's score is at most (s − low)(high − s) (Bhatia & Davis 2000; exact for 0/1), and two
    entries are taken to have correlation ``correlation`` on the items: 0 is the careful choice, since systems that err
    on the same items are easier to tell apart. The Ladder with ``step_size`` (default: the best by Theorem 3.1) is
    asked too. ``batches``, ``variants``: as in `audit_records`.
    """
    values = _read_scores(scores, bounds, test_size, correlation)
    losses = values if lower_is_better else -values
    names = tuple(str(name) for name in (systems if systems is not None else range(len(values))))
    labels = _check_batches(batches, len(values))
    records = find_records(losses, labels)
    spread = np.sqrt((values - bounds[0]) * (bounds[1] - values))
    p_values = [
        _compute_p_value(losses[before] - losses[now], spread[before], spread[now], correlation, test_size)
        for before, now in pairwise(records)
    ]
    climbs = _ask_the_ladder(losses, bounds, test_size, step_size)
    tried = _count_tries(losses, records, labels, p_values, variants)
    return _audit(names, losses, tried, climbs, alpha=alpha, batches=labels)


def find_records(losses: FloatArray, batches: Sequence[object] | None = None) -> list[int]:
    """The positions of strictly new minima; the best of the first batch is one, and no batch has two.

    >>> find_records(np.array([0.5, 0.4, 0.3, 0.2])), find_records(np.array([0.5, 0.4, 0.3, 0.2]), [1, 1, 2, 2])
    ([0, 1, 2, 3], [1, 3])
    """
    records: list[int] = []
    for batch in _list_batches(len(losses), batches):
        best = min(batch, key=lambda entry: losses[entry])
        if not records or is_lower(float(losses[best]), float(losses[records[-1]])):
            records.append(best)
    return records


def _list_batches(entries: int, batches: Sequence[object] | None) -> list[list[int]]:
    """The entries of each batch: neighbours with the same label."""
    labels = range(entries) if batches is None else batches
    return [list(group) for _, group in groupby(range(entries), key=lambda entry: labels[entry])]


def _compare_records(gains: FloatArray, metric: MeanLoss, codes: IntArray | None) -> float:
    """The p-value of gains on items; of their sums over groups where there are some."""
    if codes is None:
        return p_value_of_differences(gains, metric.paired_test)
    return p_value_of_differences(np.bincount(codes, weights=gains).astype(np.float64), "t")


def _count_tries(
    losses: FloatArray,
    records: Sequence[int],
    batches: Sequence[object] | None,
    p_values: Sequence[float],
    variants: Sequence[int] | None,
) -> list[float]:
    """Each p-value times the number of tries that could have made the claim (Bonferroni).

    Those are the entries of its batch that beat the old record, and all variants that each of them is the best of.
    """
    tries = _check_variants(variants, len(losses))
    home = {entry: batch for batch in _list_batches(len(losses), batches) for entry in batch}
    return [
        min(1.0, p * sum(tries[rival] for rival in home[now] if losses[rival] < losses[before]))
        for (before, now), p in zip(pairwise(records), p_values, strict=True)
    ]


def _check_variants(variants: Sequence[int] | None, entries: int) -> Sequence[int]:
    if variants is None:
        return [1] * entries
    if len(variants) != entries:
        raise InputError(f"{len(variants)} numbers of variants for {entries} entries; give one for each")
    return [check_count(count, "a number of variants") for count in variants]


def _check_batches(batches: Sequence[object] | None, entries: int) -> Sequence[object] | None:
    if batches is not None and len(batches) != entries:
        raise InputError(f"{len(batches)} batch labels for {entries} entries; give one for each")
    return batches


def _find_days(loss_matrix: npt.ArrayLike, systems: Sequence[str]) -> list[str] | None:
    """The day of each system, where the matrix has dates."""
    dates, names = getattr(loss_matrix, "dates", None), getattr(loss_matrix, "systems", ())
    days = {} if dates is None else dict(zip(names, (date[:10] for date in dates), strict=True))
    return [days[system] for system in systems] if days else None


def _ask_ladders(
    losses: FloatArray, metric: MeanLoss, ladders: Sequence[Mechanism], seed: int, codes: IntArray | None
) -> dict[str, Climb]:
    """What each ladder would have accepted and shown."""
    key, secret = AnswerKey(losses[:, 0], metric, group=codes), secret_from_seed(seed)
    entries = [key.evaluate(np.ascontiguousarray(column), submission=str(j)) for j, column in enumerate(losses.T)]
    # A ladder that starts from a baseline has the first entry as its baseline already.
    return {
        ladder.name: climb(ladder, key.baseline, entries, secret=secret, skip_first=ladder.starts_from_baseline)
        for ladder in ladders
    }


def _ask_the_ladder(
    losses: FloatArray, bounds: tuple[float, float], n: int, step_size: float | None
) -> dict[str, Climb]:
    """The Ladder needs no more than the scores."""
    from ladderboard.core.bounds import best_step
    from ladderboard.mechanisms.base import round_to
    from ladderboard.mechanisms.ladder import Ladder

    step = step_size if step_size is not None else best_step(n=n, k=len(losses)) * (bounds[1] - bounds[0])
    best, accepted, board = math.inf, set(), list[float | None]()
    for position, loss in enumerate(losses):
        if is_lower(float(loss), best, by=step):
            best = round_to(float(loss), step)
            accepted.add(position)
        board.append(best)
    return {Ladder.name: Climb(frozenset(accepted), tuple(board))}


def _audit(
    systems: tuple[str, ...],
    losses: FloatArray,
    p_values: list[float],
    climbs: dict[str, Climb],
    *,
    alpha: float,
    batches: Sequence[object] | None,
    noisy: tuple[Sequence[float], int] | None = None,
) -> RecordsAudit:
    """``noisy``: the luck deducted for each claim, and how many could have been made."""
    records = find_records(losses, batches)
    luck, chances = ([0.0] * len(p_values), len(p_values)) if noisy is None else noisy
    adjusted = holm([*p_values, *[1.0] * (chances - len(p_values))]).tolist() if p_values else []
    claims = tuple(
        RecordClaim(
            system=systems[now],
            position=now,
            loss=float(losses[now]),
            improvement=float(losses[before] - losses[now]),
            p_value=p,
            adjusted_p_value=corrected,
            is_real=corrected <= alpha,
            accepted_by=tuple(name for name, one in climbs.items() if now in one.accepted),
            luck_before=deducted,
        )
        for (before, now), p, corrected, deducted in zip(
            pairwise(records), p_values, adjusted[: len(p_values)], luck, strict=True
        )
    )
    boards = {name: one.board for name, one in climbs.items()}
    return RecordsAudit(systems, tuple(losses.tolist()), claims, boards, alpha)


def _compute_p_value(gain: float, before: float, now: float, correlation: float, n: int) -> float:
    from scipy.special import ndtr

    variance = (before**2 + now**2 - 2 * correlation * before * now) / n
    return float(ndtr(-gain / math.sqrt(variance))) if variance > 0 else 0.0


def _read(
    loss_matrix: npt.ArrayLike, order: Sequence[int | str] | None
) -> tuple[FloatArray, tuple[str, ...], list[int]]:
    losses = np.asarray(read_losses(loss_matrix), dtype=np.float64)
    if losses.ndim != 2 or min(losses.shape) < 2:
        raise InputError(f"losses have shape {losses.shape}; at least two items and two systems are needed")
    refuse_first(~np.isfinite(losses), losses, "loss", InputError, "is not a finite number; fill or drop it first")
    names = getattr(loss_matrix, "systems", None) or [str(j) for j in range(losses.shape[1])]
    places = {name: j for j, name in enumerate(names)} | {j: j for j in range(len(names))}
    columns = list(range(len(names))) if order is None else [places.get(column, -1) for column in order]
    if sorted(columns) != list(range(len(names))):
        raise InputError(f"order must name each of the {len(names)} columns once, by number (from 0) or by name")
    return losses[:, columns], tuple(names[j] for j in columns), columns


def _read_scores(scores: npt.ArrayLike, bounds: tuple[float, float], test_size: int, correlation: float) -> FloatArray:
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise InputError(f"scores have shape {values.shape}; a list of at least two is needed")
    if test_size < 2:
        raise ParameterError(f"test_size is {test_size}; it must be at least 2")
    if not -1 <= correlation < 1:
        raise ParameterError(f"correlation is {correlation}; it must lie in [-1, 1)")
    if not ((values >= bounds[0]) & (values <= bounds[1])).all():
        row = int(np.argmax(~((values >= bounds[0]) & (values <= bounds[1]))))
        raise InputError(f"row {row}: score {values[row]} lies outside {bounds}; give the metric's bounds")
    return values
