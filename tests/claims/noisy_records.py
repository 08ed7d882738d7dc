"""How often equal systems with noisy runs set a record, and how often a better one does.

python -m tests.claims.noisy_records            # 400 boards each; `--boards 50` for a glance

Each system was trained several times; a seed moves its run on all items. *Items alone* is the audit of the means over
the seeds. In the second half of the table the last system is better by a step, and only its record counts.
"""

import argparse
from dataclasses import dataclass

import numpy as np

import ladderboard as lb
from ladderboard.core.records import FloatArray


@dataclass(frozen=True)
class Design:
    """Systems on items, each with so many seeds; ``spread`` is how far a seed moves a run, in points of accuracy."""

    systems: int
    items: int
    seeds: int
    spread: float
    step: float = 0.0


DESIGNS = (
    Design(12, 200, 3, 0.05),
    Design(40, 200, 3, 0.03),
    Design(8, 100, 2, 0.10),
    Design(20, 200, 3, 0.0),
    Design(12, 200, 3, 0.05, step=0.15),
    Design(40, 400, 3, 0.03, step=0.15),
)


def draw_runs(design: Design, rng: np.random.Generator) -> FloatArray:
    """Failures, items × systems × seeds; the last system is better by the step."""
    better = np.r_[np.zeros(design.systems - 1), design.step]
    moves = rng.normal(0, design.spread, (design.systems, design.seeds)) - better[:, None]
    chance = rng.random((design.items, 1, 1)) + moves
    return np.asarray(rng.random((design.items, design.systems, design.seeds)) < chance, dtype=np.float64)


def name_seeds(runs: FloatArray) -> lb.LossMatrix:
    """The runs as results whose names have the seeds."""
    names = [f"s{system}-seed{seed}" for system in range(runs.shape[1]) for seed in range(runs.shape[2])]
    return lb.merge_named(lb.LossMatrix.of(runs.reshape(len(runs), -1), systems=names), "{system}-seed{seed}")


def measure(design: Design, boards: int, seed: int = 0) -> tuple[float, float]:
    """The share of boards with a real record, with the luck deducted and over items alone."""
    rng, found = np.random.default_rng(seed), np.zeros(2)
    for _ in range(boards):
        runs = draw_runs(design, rng)
        audits = (
            lb.audit_records(name_seeds(runs), repeats=True, ladders=[]),
            lb.audit_records(runs.mean(axis=2), ladders=[]),
        )
        for place, audit in enumerate(audits):
            found[place] += any(design.step == 0 or one.position == design.systems - 1 for one in audit.survivors)
    return float(found[0] / boards), float(found[1] / boards)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=400)
    boards = parser.parse_args().boards
    print("| systems × items × seeds | a seed moves by | last one better by | --repeats | items alone |")  # noqa: T201 a script
    print("|---|---|---|---|---|")  # noqa: T201 a script
    for one in DESIGNS:
        noisy, plain = measure(one, boards)
        size = f"{one.systems} × {one.items} × {one.seeds}"
        print(f"| {size} | {one.spread:g} | {one.step:g} | {noisy:.3f} | {plain:.3f} |", flush=True)  # noqa: T201 a script


if __name__ == "__main__":
    main()
