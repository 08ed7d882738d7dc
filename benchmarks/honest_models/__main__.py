"""Print what honest people get of each mechanism, on thirty scikit-learn models.

python -m benchmarks.honest_models                    # 500, 2,000 and 10,000 rows: some minutes

One analyst tries the thirty models in a random order: the mean distance between the score shown and the best true score
so far (as a ratio to full disclosure's), how often "improved" is said, how far the last proven model stays behind the
best (in null standard errors). Thirty teams with one model each: Kendall's τ between the board and the truth, and how
often the team on top is the best.
"""

import argparse
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.stats import kendalltau

import ladderboard as lb
from benchmarks.honest_models.families import Predictions, train_families
from ladderboard.core.records import FloatArray, IntArray

MECHANISMS: dict[str, lb.Mechanism] = {
    "full disclosure": lb.FullDisclosure(),
    "spending": lb.SpendingLadder(),
    "witness": lb.WitnessLadder(),
}


@dataclass(frozen=True)
class Found:
    """What one test set gave."""

    error: float
    words: int
    regret: float
    tau: float
    is_right_winner: bool


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=int, default=[500, 2000, 10_000])
    parser.add_argument("--repetitions", type=int, default=40)
    given = parser.parse_args()
    console = Console(width=110)
    table = Table(title=f"Thirty scikit-learn models, {given.repetitions} test sets each")
    for heading in ("n", "mechanism", "error / Kaggle's", "improved", "regret, SE", "Kendall τ", "right winner"):
        table.add_column(heading, justify="right")
    for n in given.sizes:
        runs = [
            measure(n, seed) for seed in track(range(given.repetitions), f"{n:,} rows", console=Console(stderr=True))
        ]
        plain = np.mean([run["full disclosure"].error for run in runs])
        for name in MECHANISMS:
            found = [run[name] for run in runs]
            table.add_row(
                f"{n:,}",
                name,
                f"{np.mean([one.error for one in found]) / plain:.2f}",
                f"{np.mean([one.words for one in found]):.1f}",
                f"{np.mean([one.regret for one in found]):.1f}",
                f"{np.mean([one.tau for one in found]):.3f}",
                f"{np.mean([one.is_right_winner for one in found]):.2f}",
            )
    console.print(table)


def measure(n: int, seed: int) -> dict[str, Found]:
    """Draw a test set from the pool, and let every mechanism judge the same models in the same order."""
    labels, predictions = train_families()
    truth = np.mean(predictions != labels, axis=1)
    rng = np.random.default_rng([n, seed])
    items, order = rng.choice(len(labels), n, replace=False), rng.permutation(len(predictions))
    return {
        name: _measure_mechanism(mechanism, labels[items], predictions[:, items], truth=truth, order=order, seed=seed)
        for name, mechanism in MECHANISMS.items()
    }


def _measure_mechanism(
    mechanism: lb.Mechanism,
    labels: Predictions,
    predictions: Predictions,
    *,
    truth: FloatArray,
    order: IntArray,
    seed: int,
) -> Found:
    alone = lb.Leaderboard(labels, "error_rate", mechanism=mechanism, seed=seed)
    errors, words, proven = [], 0, float(max(np.mean(labels), 1 - np.mean(labels)))
    for position, model in enumerate(order):
        release = alone.submit("analyst", predictions[model])
        assert release.board_value is not None
        errors.append(abs(release.board_value - truth[order[: position + 1]].min()))
        if release.improved:
            words, proven = words + 1, float(truth[model])
    teams = lb.Leaderboard(labels, "error_rate", mechanism=mechanism, seed=seed)
    shown = [teams.submit(str(model), predictions[model]).board_value for model in range(len(predictions))]
    tau = kendalltau(shown, truth).statistic
    first = int(np.argmin(np.array(shown, dtype=float)))
    regret = (proven - truth.min()) / (0.5 / np.sqrt(len(labels)))
    return Found(float(np.mean(errors)), words, float(regret), float(tau), bool(truth[first] == truth.min()))


if __name__ == "__main__":
    main()
