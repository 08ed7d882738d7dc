"""How often ranges and intervals with named seeds and prompts hold: ``python -m tests.claims.conditions_coverage``."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ladderboard.evals import ConditionLosses, LossMatrix
from ladderboard.inference.paired_difference import paired_difference
from ladderboard.inference.rank_ranges import rank_ranges
from ladderboard.inference.score_intervals import score_intervals
from ladderboard.inference.winner import winner_estimate


@dataclass(frozen=True)
class Design:
    """Equal systems, and how strongly seeds and prompts move them (standard deviations on the scale of the items')."""

    systems: int
    items: int
    seeds: int
    prompts: int
    seed_effect: float = 0.0
    prompt_effect: float = 0.0
    """On all systems alike; half of it on each system apart."""

    def draw(self, rng: np.random.Generator, *, is_binary: bool) -> LossMatrix:
        """Right or wrong answers, or real losses, of systems that are equally good."""
        n, count = self.items, (self.seeds, self.prompts)
        item, prompt = rng.normal(size=(n, 1, 1)), self.prompt_effect * rng.normal(size=(1, 1, self.prompts))
        tables = []
        for _ in range(self.systems):
            table = item + prompt + 0.7 * rng.normal(size=(n, 1, 1)) + rng.normal(size=(n, *count))
            table += 0.5 * (self.prompts > 1) * rng.normal(size=(n, 1, self.prompts))
            table += self.seed_effect * rng.normal(size=(1, self.seeds, 1))
            table += self.prompt_effect / 2 * rng.normal(size=(1, 1, self.prompts))
            tables.append((table > 0).astype(float) if is_binary else table)
        return name_conditions(tables)


def name_conditions(tables: Sequence[np.ndarray]) -> LossMatrix:
    """The results of items × seeds × prompts of each system."""
    means = np.column_stack([table.mean(axis=(1, 2)) for table in tables])
    seeds = tuple(tuple(map(str, range(table.shape[1]))) for table in tables)
    conditions = ConditionLosses(tuple(tables), seeds, tuple(map(str, range(tables[0].shape[2]))))
    systems = [f"system {number + 1}" for number in range(len(tables))]
    return replace(LossMatrix.of(means, systems=systems, constant=True), conditions=conditions)


DESIGNS = (
    Design(5, 200, 3, 1),
    Design(5, 200, 3, 1, seed_effect=0.3),
    Design(2, 200, 3, 1, seed_effect=0.3),
    Design(5, 200, 1, 4, prompt_effect=0.3),
    Design(5, 200, 3, 3, seed_effect=0.1, prompt_effect=0.3),
    Design(8, 100, 5, 5, seed_effect=0.2, prompt_effect=0.4),
)


def count_covered(design: Design, *, is_binary: bool, runs: int, seed: int) -> dict[str, float]:
    """The share of boards on which all rank ranges hold, with the conditions and without, and of intervals that do."""
    rng, truth = np.random.default_rng(seed), 0.5 if is_binary else 0.0
    held = dict.fromkeys(("ranks", "naive", "scores", "winner", "compare"), 0.0)
    for _ in range(runs):
        results = design.draw(rng, is_binary=is_binary)
        assert results.conditions is not None
        for name, given in (("ranks", results), ("naive", replace(results, conditions=None))):
            ranges = rank_ranges(given, replicates=1000, seed=rng)
            held[name] += all(one.best == 1 and one.worst == design.systems for one in ranges)
        held["scores"] += float(np.mean([low <= truth <= high for low, high in score_intervals(results)]))
        low, high = winner_estimate(results, replicates=400, seed=rng).interval
        held["winner"] += low <= truth <= high
        low, high = paired_difference(*results.conditions.losses[:2]).interval
        held["compare"] += low <= 0 <= high
    return {name: count / runs for name, count in held.items()}


def main() -> None:
    """Print the table of the guide."""
    head = ("systems × items", "seeds", "prompts", "ranks", "naive", "scores", "winner", "compare")
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")  # noqa: T201 a script
    for design in DESIGNS:
        both = [count_covered(design, is_binary=flag, runs=200, seed=seed) for flag in (True, False) for seed in (1, 2)]
        means = " | ".join(f"{np.mean([one[name] for one in both]):.3f}" for name in both[0])
        seeds, prompts = (
            f"{count} (± {effect})" if count > 1 else "1"
            for count, effect in ((design.seeds, design.seed_effect), (design.prompts, design.prompt_effect))
        )
        print(f"| {design.systems} × {design.items} | {seeds} | {prompts} | {means} |", flush=True)  # noqa: T201 a script


if __name__ == "__main__":
    main()
