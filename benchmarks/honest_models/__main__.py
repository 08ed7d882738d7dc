"""Print what honest people get of each mechanism, on sixty scikit-learn models and eight tasks.

python -m benchmarks.honest_models                    # 300, 1,000 and 4,000 rows: some minutes

One analyst tries the sixty models in a random order. Error: the mean distance between the score shown and the best true
score so far (as a ratio to full disclosure's). Words: "improved" after the first one. Regret: how far the last proven
model, and the last accepted one, stay behind the best, in null standard errors. False: runs that hear a false word.
Sixty teams with one model each: Kendall's τ between the board and the truth, and how often the team on top is the best.
"""

import argparse
from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import cache
from itertools import product

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.stats import kendalltau

import ladderboard as lb
from benchmarks.honest_models.families import TASKS, Predictions, train_families
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey

MECHANISMS: dict[str, lb.Mechanism] = {
    "full disclosure": lb.FullDisclosure(),
    "spending": lb.SpendingLadder(),
    "witness, gate 1/2": lb.WitnessLadder(gate_share=0.5),
    "witness": lb.WitnessLadder(),
}
KINDS: dict[str, Callable[[str], bool]] = {
    "six of classes, error rate": lambda task: not TASKS[task].is_regression,
    "two of numbers, RMSE": lambda task: TASKS[task].is_regression,
}
HEADINGS = ("n", "mechanism", "error", "words", "regret", "accepted", "false", "Kendall τ", "right winner")


@dataclass(frozen=True)
class Found:
    """What one test set gave."""

    error: float
    words: int
    regret: float
    accepted_regret: float
    is_false: bool
    tau: float
    is_right_winner: bool


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=int, default=[300, 1000, 4000])
    parser.add_argument("--repetitions", type=int, default=20)
    given = parser.parse_args()
    for kind, belongs in KINDS.items():
        table = Table(title=f"Sixty models, {kind}: {given.repetitions} test sets each")
        for heading in HEADINGS:
            table.add_column(heading, justify="right")
        tasks = [task for task in TASKS if belongs(task)]
        for n in given.sizes:
            cells = list(product(tasks, range(given.repetitions)))
            runs = [measure(*cell, n=n) for cell in track(cells, f"{n:,} rows", console=Console(stderr=True))]
            for name in MECHANISMS:
                table.add_row(f"{n:,}", name, *_summarise(runs, name))
        Console(width=110).print(table)


def _summarise(runs: list[dict[str, Found]], name: str) -> list[str]:
    means = np.mean([astuple(run[name]) for run in runs], axis=0)
    # Scores of different tasks have different scales: the ratio is taken test set by test set.
    means[0] = np.exp(np.mean([np.log(run[name].error / run["full disclosure"].error) for run in runs]))
    return [f"{mean:.{digits}f}" for mean, digits in zip(means, (2, 2, 2, 2, 3, 3, 2), strict=True)]


def measure(task: str, seed: int, *, n: int) -> dict[str, Found]:
    """Draw a test set from the pool, and let every mechanism judge the same models in the same order."""
    labels, predictions = train_families(task)
    rng = np.random.default_rng([n, seed])
    items, order = rng.integers(len(labels), size=n), rng.permutation(len(predictions))
    truth, drawn = find_true_scores(task), predictions[:, items]
    return {
        name: _measure_mechanism(mechanism, TASKS[task].metric, labels[items], drawn, truth, order=order, seed=seed)
        for name, mechanism in MECHANISMS.items()
    }


@cache
def find_true_scores(task: str) -> FloatArray:
    """Of every model, and of the baseline as the last."""
    labels, predictions = train_families(task)
    metric = find_metric(TASKS[task].metric)
    baseline = AnswerKey(labels, metric).yardstick.baseline_score
    return np.array([*(metric.score(labels, one) for one in predictions), baseline])


def _measure_mechanism(
    mechanism: lb.Mechanism,
    metric: str,
    labels: Predictions,
    predictions: Predictions,
    truth: FloatArray,
    *,
    order: IntArray,
    seed: int,
) -> Found:
    alone = lb.Leaderboard(labels, metric, mechanism=mechanism, seed=seed)
    errors, proven, accepted = [], [len(order)], len(order)
    for position, model in enumerate(order):
        release = alone.submit("analyst", predictions[model])
        assert release.board_value is not None
        errors.append(abs(release.board_value - truth[order[: position + 1]].min()))
        if release.is_repeat:
            continue  # some models predict the same
        accepted = model if release.accepted else accepted
        if release.improved:
            proven.append(model)
    teams = lb.Leaderboard(labels, metric, mechanism=mechanism, seed=seed)
    shown = [teams.submit(str(model), predictions[model]).board_value for model in range(len(predictions))]
    first = int(np.argmin(np.array(shown, dtype=float)))
    best, error = truth.min(), AnswerKey(labels, find_metric(metric)).yardstick.null_standard_error
    return Found(
        error=float(np.mean(errors)),
        words=max(0, len(proven) - 2),
        regret=float((truth[proven[-1]] - best) / error),
        accepted_regret=float((truth[accepted] - best) / error),
        is_false=bool(np.any(np.diff(truth[proven]) >= 0)),
        tau=float(kendalltau(shown, truth[:-1]).statistic),
        is_right_winner=bool(truth[first] == best),
    )


if __name__ == "__main__":
    main()
