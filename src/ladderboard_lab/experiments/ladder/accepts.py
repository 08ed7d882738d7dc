"""The Ladder paper's reason why boosting fails: random vectors lower the Ladder's score O(log k) times only."""

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.attacks.boosting import Boosting
from ladderboard_lab.attacks.hill_climb import HillClimb
from ladderboard_lab.experiments.base import (
    Cell,
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    check_claim,
    experiment,
    list_repetitions,
    self_consistent,
)
from ladderboard_lab.experiments.deciding import usually
from ladderboard_lab.experiments.drawing import BLUE, MUTED
from ladderboard_lab.experiments.estimates import mean_of
from ladderboard_lab.participant import FloatArray
from ladderboard_lab.problems.coin_flips import coin_flips

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAIR_FLIPS = "pairs of flips instead of random vectors"


@dataclass(frozen=True)
class _Task:
    n: int
    k: int
    flips: bool


@experiment(
    id="ladder-accepts",
    title="The number of accepted submissions grows like log k",
    paper="Ladder",
    claim="Every time a vector lowers the best score, the probability that a later one crosses the new threshold "
    "drops by a constant factor: there are at most O(log k) such steps, and a bias of at most O(√(log(k)/n)). "
    "(Section 5.1.)",
    controls=(PAIR_FLIPS,),
)
def ladder_accepts(conditions: Conditions) -> ExperimentResult:
    """Accepts of random vectors by the parameter-free Ladder, by number of submissions."""
    n, k = conditions.choose(full=(4000, 10_000), quick=(1000, 1000))
    runs = conditions.repeat(full=64, quick=64)
    task = _Task(n, k, conditions.control == PAIR_FLIPS)
    found = np.array(conditions.run(_count, [task] * runs, title="accepts"))
    mean = found[..., 0].mean(axis=0)
    records = np.cumsum(1 / np.arange(1, k + 1))
    bias = float(found[:, -1, 1].mean())
    bound = math.sqrt(2 * math.log(k)) * 0.5 / math.sqrt(n)
    so_far = found[:, [k // 100 - 1, k // 10 - 1, k - 1], 0]
    early, late = np.diff(so_far).T
    checks = (
        check_claim(
            "a tenfold k adds at most one accept more the second time than the first", usually(late <= early + 1)
        ),
        check_claim("the released score is at most SE·√(2 ln k) below ½", usually(found[:, -1, 1] <= bound)),
        self_consistent(
            "there are no more accepts than records of k independent scores, H_k on average",
            usually(so_far[:, -1] <= records[-1]),
        ),
    )
    sentence = (
        f"After {k // 100}, {k // 10} and {k} random vectors the parameter-free Ladder (n = {n}) has accepted "
        f"{mean[k // 100 - 1]:.1f}, {mean[k // 10 - 1]:.1f} and {mean[-1]:.1f} on average; records of independent "
        f"scores would be {records[k // 100 - 1]:.1f}, {records[k // 10 - 1]:.1f} and {records[-1]:.1f}. The score "
        f"shown is {bias:.4f} below ½; SE·√(2 ln k) is {bound:.4f}."
    )
    places = np.unique(np.geomspace(1, k, 40).astype(int)) - 1
    rows: list[tuple[Cell, ...]] = [(int(at) + 1, float(mean[at]), float(records[at])) for at in places]
    verdict = Verdict(checks, sentence, {"accepts": mean_of(found[:, -1, 0]), "bias": mean_of(found[:, -1, 1])})
    draw = partial(_draw, mean=mean, records=records)
    shown = [int(at) + 1 for at in places]
    raw = list_repetitions(found[:, places], "value", submissions=shown, reading=("accepts", "below one half"))
    table = ResultTable(("submissions", "accepts", "records"), rows)
    return ExperimentResult(table, draw, verdict, size=(6.0, 3.8), raw=raw)


def _count(task: _Task, seed: np.random.SeedSequence) -> FloatArray:
    """Submissions × (accepts so far, how far below ½ the board's number is)."""
    rng = np.random.default_rng(seed)
    participant = coin_flips(rng, n=task.n).open_board("parameter_free_ladder", seed=int(rng.integers(2**32)))
    rows: list[tuple[float, float]] = []
    participant.on_release = lambda release: rows.append((float(release.accepted), 0.5 - (release.board_value or 0.5)))
    attack = HillClimb(flips=2) if task.flips else Boosting()
    attack.run(participant, budget=task.k, rng=rng)
    found = np.array(rows)
    found[:, 0] = np.cumsum(found[:, 0])
    return found


def _draw(figure: "Figure", *, mean: FloatArray, records: FloatArray) -> None:
    axes = figure.subplots()
    attempts = np.arange(1, len(mean) + 1)
    axes.plot(attempts, mean, color=BLUE, linewidth=1.5, label="accepted by the parameter-free Ladder")
    axes.plot(attempts, records, "--", color=MUTED, linewidth=1.2, label="records of independent scores, H_k")
    axes.set(xscale="log", xlabel="submissions", ylabel="accepted so far")
    axes.legend(loc="upper left")
