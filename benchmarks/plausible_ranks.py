"""How wide plausible ranks are, and whether all true ranks lie in them: boards of 8 to 300 teams.

python -m benchmarks.plausible_ranks
python -m benchmarks.plausible_ranks --tries 20      # every second team chooses among as many files by what it is told

Error rate, first submissions under the default mechanism, true error rates even between .15 and .40 (or all .15),
losses that share half of their difficulty. *Overlap* is the rule before: two teams are told apart where their
intervals, with the correction of Bonferroni, do not overlap.
"""

import argparse
import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from ladderboard.core.records import FloatArray, IntArray, Yardstick
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.server.boards.plausible_ranks import Plausibility, Reaches

BOARDS = ((8, 400), (13, 300), (50, 100), (300, 20))
"""Teams, and how many boards of so many."""
SIZES = (250, 1000)
SPREADS = (0.25, 0.0)
Shown = list[tuple[float, float | None]]
Ranges = tuple[IntArray, IntArray]
MECHANISM = WitnessLadder()


def draw_board(
    rows: int, teams: int, spread: float, rng: np.random.Generator, *, tries: int = 1
) -> tuple[Yardstick, Shown, FloatArray]:
    """What each team shows, and the true error rates; teams that show nothing are left out.

    Every second team sends one file, the others ``tries`` equally good ones: the gate chooses among them.
    """
    labels = np.arange(rows) % 2
    key, hard = AnswerKey(labels, find_metric("error_rate")), rng.normal(size=rows)
    start, shown, truth = MECHANISM.start(key.baseline, rng), [], []
    for team, rate in enumerate(np.linspace(0.15, 0.15 + spread, teams)):
        state, incumbent, proven = start, key.baseline, key.baseline
        for name in range(tries if team % 2 else 1):
            errs = math.sqrt(0.5) * hard + math.sqrt(0.5) * rng.normal(size=rows) < ndtri(rate)
            candidate = key.evaluate(key.read(labels ^ errs), submission=str(name))
            state, release = MECHANISM.step(state, candidate, incumbent, rng, proven=proven)
            incumbent = candidate if release.accepted else incumbent
            proven = candidate if release.improved else proven
        if state.accepts and state.released is not None:
            shown.append((state.released, state.standard_error))
            truth.append(float(rate))
    return key.yardstick, shown, np.array(truth)


def by_overlap(yardstick: Yardstick, shown: Shown, teams: int) -> Ranges:
    """Ranks by intervals that overlap."""
    z = float(-ndtri(0.025 / 2 ** math.ceil(math.log2(teams))))
    ends = np.array([MECHANISM.make_interval(*one, yardstick, z=z) for one in shown])
    best = 1 + np.array([(ends[:, 1] < low).sum() for low in ends[:, 0]])
    return best, np.array([(ends[:, 0] <= high).sum() for high in ends[:, 1]])


def by_difference(yardstick: Yardstick, shown: Shown, teams: int) -> Ranges:
    """Ranks as the board shows them."""
    board = Reaches.compute(Plausibility(yardstick, MECHANISM, teams), shown, [1] * len(shown))
    reaches = [board.plausibility.find_reach(*one) for one in shown]
    assert all(one is not None for one in reaches)
    best = 1 + np.array([board.count_better(one) for one in reaches if one is not None])
    return best, len(shown) - np.array([board.count_worse(one) for one in reaches if one is not None])


def are_covered(ranges: Ranges, truth: FloatArray) -> bool:
    """Whether every rank that each team may truly have lies in its range."""
    first = 1 + (truth[None, :] < truth[:, None] - 1e-12).sum(axis=1)
    last = (truth[None, :] <= truth[:, None] + 1e-12).sum(axis=1)
    return bool((ranges[0] <= first).all() and (last <= ranges[1]).all())


def measure(
    teams: int, rows: int, spread: float, boards: int, rule: Callable[..., Ranges], *, tries: int = 1
) -> tuple[float, ...]:
    """The mean width and the mean share that may be first, of the teams, and the share of boards that are covered."""
    rng, found = np.random.default_rng(teams + rows), []
    for _ in range(boards):
        yardstick, shown, truth = draw_board(rows, teams, spread, rng, tries=tries)
        if len(shown) > 1:
            best, worst = rule(yardstick, shown, teams)
            width = np.mean(worst - best + 1) / len(shown)
            found.append((width, np.mean(best == 1), are_covered((best, worst), truth)))
    return tuple(np.mean(found, axis=0).tolist())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=1)
    parser.add_argument("--spreads", type=float, nargs="+", default=list(SPREADS))
    parser.add_argument("--largest", type=int, default=300, help="boards of no more teams")
    given = parser.parse_args()
    print("teams  rows  spread  rule         width  may be first  all true ranks inside")
    for teams, boards in (one for one in BOARDS if one[0] <= given.largest):
        for rows in SIZES if teams < 300 else SIZES[1:]:
            for spread in given.spreads:
                for rule in (by_overlap, by_difference):
                    width, first, covered = measure(teams, rows, spread, boards, rule, tries=given.tries)
                    name = f"{teams:5}  {rows:4}  {spread:6}  {rule.__name__:13}"
                    print(f"{name} {width:.2f}  {first:12.2f}  {covered:.2f}", flush=True)


if __name__ == "__main__":
    main()
