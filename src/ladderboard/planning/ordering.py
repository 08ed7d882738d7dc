"""The order of honest teams on a board, compared with plain scores, by simulation.

A mechanism hides small gains, and on few rows that costs order: some teams stay at the baseline, or at an early file.
The field is fixed: ten teams, six files each, every file better than the one before, and final true losses evenly
between 40 % and 80 % of the baseline's. Losses are 0 or 1; only their number matters to how well they are told apart.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from ladderboard.core.records import BASELINE, FloatArray, State, Yardstick
from ladderboard.mechanisms import DEFAULT_MECHANISM, MECHANISMS
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.inputs import Array

TEAMS, FILES, BOARDS = 10, 6, 30
FIRST_ERROR, FINAL_ERRORS = 0.45, (0.2, 0.4)
"""The baseline's is one half."""
KINSHIP = 0.9
"""The share of a file's errors, on the normal scale, that the next one of its team inherits."""
MARGIN = 0.025
"""How many pairs in 100 a board may put wrong beyond plain scores, and still order as well."""
SIZES = (125, 250, 500, 1000, 2000, 4000)


@dataclass(frozen=True)
class Ordering:
    """Of all pairs of honest teams the share in the right order; a tie counts as one half.

    ``plain``: on a board of each team's best plain score.
    """

    units: int
    right: float
    plain: float

    @property
    def is_as_good(self) -> bool:
        return self.right >= self.plain - MARGIN


def find_fair_size(mechanism: Mechanism, yardstick: Yardstick) -> float | None:
    """From how many units on the board orders honest teams about as well as plain scores would.

    Interpolated between the sizes that are simulated and rounded to two digits; infinite where the largest of them is
    too small. None where nothing can be said: see `can_simulate`.

    >>> from ladderboard.mechanisms import MECHANISMS
    >>> yardstick = AnswerKey([0, 1] * 100, find_metric("accuracy")).yardstick
    >>> find_fair_size(MECHANISMS["full_disclosure"](), yardstick)
    125
    """
    return _find_fair_size(mechanism) if can_simulate(mechanism, yardstick) else None


def describe_fair_size(mechanism: Mechanism, yardstick: Yardstick) -> str | None:
    """Say from how many rows on a board orders honest teams well, and what to do where it has fewer."""
    size = find_fair_size(mechanism, yardstick)
    if size is None:
        return None
    if size == math.inf:
        found = f"even on {SIZES[-1]:,} public rows the board orders honest teams less well than plain scores would"
        return f"{found}: {_propose(mechanism, yardstick, more_rows=False)}"
    found = f"from about {size:,} public rows on the board orders honest teams as well as plain scores would"
    if yardstick.units >= size:
        return found
    return f"{found}, and there are {yardstick.units:,}: {_propose(mechanism, yardstick, more_rows=True)}"


def _propose(mechanism: Mechanism, yardstick: Yardstick, *, more_rows: bool) -> str:
    ways = ["make more rows public"] if more_rows else []
    other = None if mechanism.alternative is None else mechanism.alternative()
    if other is not None and (find_fair_size(other, yardstick) or math.inf) <= yardstick.units:
        ways.append(f"take {other.name}")
    elif not more_rows:
        ways.append(f"take {DEFAULT_MECHANISM.name}")
    silent = next(name for name, one in MECHANISMS.items() if not one.shows_scores)
    return ", ".join(ways) + f", or show no scores until the end ({silent})"


@cache
def _find_fair_size(mechanism: Mechanism) -> float:
    before = None
    for units in SIZES:
        now = simulate_ordering(mechanism, units)
        if now.is_as_good:
            return units if before is None else _interpolate(before, now)
        before = now
    return math.inf


def can_simulate(mechanism: Mechanism, yardstick: Yardstick) -> bool:
    """Whether the simulation speaks for this board: it shows scores, needs nothing else, and is quick.

    A fixed step is in units of the metric, and means the same here only where scores lie between 0 and 1.
    """
    if not mechanism.shows_scores or mechanism.needs_training_score or mechanism.family == "bootstrap":
        return False
    state = State(released=yardstick.baseline_score)
    steps = [mechanism.hurdle(state, yardstick, scale * yardstick.null_standard_error) for scale in (1.0, 2.0)]
    is_fixed = all(step is not None and step.fixed > 0 for step in steps) and steps[0] == steps[1]
    return not is_fixed or yardstick.bounds == (0.0, 1.0)


def simulate_ordering(mechanism: Mechanism, units: int, *, boards: int = BOARDS, seed: int = 0) -> Ordering:
    """Let the honest field play on a public part of that size, and count the pairs in the right order."""
    labels, rng = np.arange(units) % 2, np.random.default_rng(seed)
    key = AnswerKey(labels, find_metric("error_rate"))
    shown, plain = [], []
    for _ in range(boards):
        start = mechanism.start(key.baseline, rng)
        played = [_play(mechanism, start, key, files, rng) for files in _draw_field(labels, rng)]
        shown.append(count_right_pairs([one[0] for one in played]))
        plain.append(count_right_pairs([one[1] for one in played]))
    return Ordering(units, float(np.mean(shown)), float(np.mean(plain)))


def count_right_pairs(losses: list[float]) -> float:
    """The share of pairs in the right order, of losses that should rise from first to last.

    >>> round(count_right_pairs([0.1, 0.2, 0.2]), 4)
    0.8333
    """
    values = np.asarray(losses)
    rises = np.sign(values[None, :] - values[:, None])[np.triu_indices(len(values), 1)]
    return float((rises.mean() + 1) / 2)


def _draw_field(labels: Array, rng: np.random.Generator) -> Iterator[list[Array]]:
    """For each team, best first, its files: predictions whose true errors fall in even steps."""
    from scipy.special import ndtri

    for final in np.linspace(*FINAL_ERRORS, TEAMS):
        difficulty: FloatArray = rng.normal(size=len(labels))
        files = []
        for error in np.linspace(FIRST_ERROR, final, FILES):
            difficulty = math.sqrt(KINSHIP) * difficulty + math.sqrt(1 - KINSHIP) * rng.normal(size=len(labels))
            files.append(np.where(difficulty < ndtri(error), 1 - labels, labels))
        yield files


def _play(
    mechanism: Mechanism, state: State, key: AnswerKey, files: list[Array], rng: np.random.Generator
) -> tuple[float, float]:
    """A team's loss on the board in the end, and the best of its plain ones."""
    held, best = {BASELINE: key.baseline}, math.inf
    for number, file in enumerate(files):
        candidate = key.evaluate(file, submission=str(number))
        best, held[candidate.submission] = min(best, candidate.loss), candidate
        if not mechanism.is_spent(state):
            state, _ = mechanism.step(state, candidate, held[state.incumbent], rng)
    # Without a number a team stands behind all others.
    return math.inf if state.released is None else state.released, best


def _interpolate(before: Ordering, now: Ordering) -> int:
    """The size at which the pairs that are lost cross the margin, on a logarithmic scale."""
    lost, still = before.plain - before.right, now.plain - now.right
    part = (lost - MARGIN) / (lost - still)
    return int(float(f"{before.units * (now.units / before.units) ** part:.2g}"))
