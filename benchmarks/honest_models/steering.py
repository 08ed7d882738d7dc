"""Print what honest people get of a guard with and without data of their own to steer by, on thirty models.

python -m benchmarks.honest_models.steering           # 500 and 2,000 guarded rows: a few minutes

One analyst tries the thirty models in a random order. Without data of their own they score every model on a guard with
the Witness Ladder and go by its answers. With an open set as large as the guarded one they keep what leads there, and
ask a gate about it where it is 2 standard errors above the last certified model; the first model is the reference.
Words: "improved" after the first model. Regret: how far the model last called improved stays behind the best, in null
standard errors. False: the share of runs with a word for a model that is not better.
"""

import argparse
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import ladderboard as lb
from benchmarks.honest_models.families import Predictions, train_families
from ladderboard.core.records import FloatArray, IntArray

CONVINCED = 2.0


@dataclass(frozen=True)
class Found:
    """What one analyst heard."""

    words: int
    questions: int
    regret: float
    is_false: bool


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=int, default=[500, 2000])
    parser.add_argument("--repetitions", type=int, default=100)
    given = parser.parse_args()
    table = Table(title=f"Thirty scikit-learn models, {given.repetitions} test sets each")
    for heading in ("guarded rows", "steered by", "words", "questions", "regret, SE", "false"):
        table.add_column(heading, justify="right")
    for n in given.sizes:
        rows = track(range(given.repetitions), f"{n:,} rows", console=Console(stderr=True))
        runs = [measure(n, seed) for seed in rows]
        for name in runs[0]:
            found = [run[name] for run in runs]
            means = [np.mean([getattr(one, field) for one in found]) for field in ("words", "questions", "regret")]
            false = np.mean([one.is_false for one in found])
            table.add_row(f"{n:,}", name, f"{means[0]:.2f}", f"{means[1]:.1f}", f"{means[2]:.2f}", f"{false:.2f}")
    Console(width=110).print(table)


def measure(n: int, seed: int) -> dict[str, Found]:
    """Draw guarded and open rows from the pool, and let both analysts try the same models in the same order."""
    labels, predictions = train_families(models=30, pool=60_000)
    truth = np.mean(predictions != labels, axis=1)
    rng = np.random.default_rng([n, seed])
    guarded, opened = np.split(rng.choice(len(labels), 2 * n, replace=False), 2)
    order = rng.permutation(len(predictions))
    wrong = (predictions[:, opened] != labels[opened]).astype(float)
    board = labels[guarded], predictions[:, guarded]
    return {
        "the guard (Witness Ladder)": steer_by_guard(*board, truth=truth, order=order, seed=seed),
        "an open set (Certifier)": steer_by_open_set(*board, truth=truth, order=order, wrong=wrong),
    }


def steer_by_guard(
    labels: Predictions, predictions: Predictions, *, truth: FloatArray, order: IntArray, seed: int
) -> Found:
    """Score every model; the first word is for being better than the baseline."""
    guard = lb.Leaderboard(labels, mechanism=lb.WitnessLadder(), seed=seed)
    proven: list[int] = [model for model in order if guard.submit("we", predictions[model]).improved]
    return _summarise(proven, truth, questions=len(order), items=len(labels))


def steer_by_open_set(
    labels: Predictions, predictions: Predictions, *, truth: FloatArray, order: IntArray, wrong: FloatArray
) -> Found:
    """Ask about what leads on the open set by enough; ``wrong``: models × open items."""
    gate = lb.Leaderboard(labels, mechanism=lb.Certifier())
    certified = [int(order[0])]
    gate.submit("we", predictions[order[0]])
    best, questions = order[0], 0
    for model in order[1:]:
        if wrong[model].mean() >= wrong[best].mean():
            continue
        best, gains = model, wrong[certified[-1]] - wrong[model]
        if gains.mean() < CONVINCED * gains.std(ddof=1) / np.sqrt(len(gains)):
            continue
        questions += 1
        if gate.submit("we", predictions[model]).improved:
            certified.append(int(model))
    return _summarise(certified, truth, questions=questions, items=len(labels))


def _summarise(proven: list[int], truth: FloatArray, *, questions: int, items: int) -> Found:
    """``proven`` begins with the first model: the reference, or the one that beat the baseline."""
    losses = [float(truth[model]) for model in proven] or [0.5]
    regret = (losses[-1] - float(truth.min())) / (0.5 / np.sqrt(items))
    is_false = any(after >= before for before, after in pairwise(losses))
    return Found(max(0, len(proven) - 1), questions, regret, is_false)


if __name__ == "__main__":
    main()
