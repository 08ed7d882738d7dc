"""What the referee of a system that improves itself keeps, certifies and says wrongly.

python -m benchmarks loop                   # the targets, 400 runs each: some minutes
python -m benchmarks.loop                   # the guide's table

A proposer makes 60 edits of a system that answers tasks of different difficulty. Open tasks steer and guarded tasks
certify, as `Loop.propose` does. The strict gate keeps what scores higher on all of these tasks together: with the same
number of runs in total, those of guarded tasks included, or with about twice as many, so that it runs every task as
often as the loop runs the open ones. The true score is that on 2,000 further tasks.
"""

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from benchmarks.row import Row
from ladderboard.core.records import Evaluation, FloatArray
from ladderboard.loop.proposal import compare, decide, is_convinced
from ladderboard.mechanisms.certifier import Certifier
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.mean_score import MeanScore

POPULATION, DIFFICULTY, TASK_NOISE, WORSE = 2000, 1.5, 0.3, 0.3


@dataclass(frozen=True)
class Setting:
    """Tasks on each side, runs of each, and the edits: a share is better by a step (of logit), three in ten worse.

    ``is_fishing``: the proposer goes on from what is certified and has every edit asked, so that only the certifier's
    words steer.
    """

    tasks: int = 100
    repeats: int = 4
    step: float = 0.25
    better: float = 0.1
    edits: int = 60
    is_fishing: bool = False


@dataclass(frozen=True)
class Outcome:
    """Of one run: the true gains of what was kept and of two strict gates, and of each certificate what is true."""

    gain: float
    gate_gain: float
    """Of the strict gate with as many rollouts."""
    full_gate_gain: float
    """Of the strict gate that runs every task as often as the loop runs the open ones."""
    overstated: float
    """By how much the first gate's last score is above the truth."""
    certificates: tuple[tuple[float, float, float], ...]
    """The true score before and after, and the number that was shown."""

    @property
    def has_false(self) -> bool:
        return any(after <= before for before, after, _ in self.certificates)


def run_loop(setting: Setting, seed: int) -> Outcome:
    """Let one proposer run, with the strict gates beside it on the same edits."""
    rng = np.random.default_rng([seed, setting.tasks, setting.repeats, round(1000 * setting.step)])
    start = rng.normal(0, DIFFICULTY, 2 * setting.tasks + POPULATION)
    edits = [_draw_edit(setting, rng, len(start)) for _ in range(setting.edits)]
    kept, told, rollouts = _run_referee(setting, start, edits, rng)
    gate, seen = _run_gate(setting, start, edits, rollouts // (len(edits) + 1), rng)
    full, _ = _run_gate(setting, start, edits, 2 * setting.tasks * setting.repeats, rng)
    before = _score(start)
    return Outcome(_score(kept) - before, _score(gate) - before, _score(full) - before, seen - _score(gate), told)


def _run_referee(
    setting: Setting, start: FloatArray, edits: list[FloatArray], rng: np.random.Generator
) -> tuple[FloatArray, tuple[tuple[float, float, float], ...], int]:
    """What a loop keeps, its certificates, and how many runs of tasks it took, the guarded ones included."""
    opened, guarded = np.arange(setting.tasks), np.arange(setting.tasks, 2 * setting.tasks)
    open_key, key = (AnswerKey([0] * setting.tasks, MeanScore()) for _ in range(2))
    mechanism = Certifier()
    state = mechanism.start(key.baseline, np.random.default_rng(0))

    def answer(logits: FloatArray) -> FloatArray:
        return np.asarray(rng.binomial(setting.repeats, expit(logits)) / setting.repeats)

    def evaluate(scores: FloatArray, number: int) -> Evaluation:
        return key.evaluate(scores, submission=str(number))

    kept = certified = start
    kept_seen = certified_seen = answer(start[opened])
    standing = evaluate(answer(start[guarded]), 0)
    state, _ = mechanism.step(state, standing, key.baseline, np.random.default_rng(0))
    told: list[tuple[float, float, float]] = []
    answered = 2
    for number, edit in enumerate(edits, 1):
        proposed = (certified if setting.is_fishing else kept) + edit
        seen = answer(proposed[opened])
        answered += 1
        if not setting.is_fishing:
            if decide(*compare(open_key, kept_seen, seen)) != "kept":
                continue
            kept, kept_seen = proposed, seen
            if not is_convinced(*compare(open_key, certified_seen, seen)):
                continue
        candidate = evaluate(answer(proposed[guarded]), number)
        answered += 1
        state, release = mechanism.step(state, candidate, standing, np.random.default_rng(0))
        if release.improved:
            told.append((_score(certified), _score(proposed), release.value or 0.0))
            certified, certified_seen, standing = proposed, seen, candidate
    return kept, tuple(told), answered * setting.tasks * setting.repeats


def _run_gate(
    setting: Setting, start: FloatArray, edits: list[FloatArray], rollouts: int, rng: np.random.Generator
) -> tuple[FloatArray, float]:
    """What is kept, and its score as it was seen, where each candidate has so many runs, spread over all tasks."""
    each, more = divmod(rollouts, 2 * setting.tasks)
    runs = each + (np.arange(2 * setting.tasks) < more)
    runs = runs[runs > 0]

    def answer(logits: FloatArray) -> float:
        return float((rng.binomial(runs, expit(logits[: len(runs)])) / runs).mean())

    gate, seen = start, answer(start)
    for edit in edits:
        score = answer(gate + edit)
        if score > seen:
            gate, seen = gate + edit, score
    return gate, seen


def _draw_edit(setting: Setting, rng: np.random.Generator, size: int) -> FloatArray:
    luck = rng.random()
    step = setting.step if luck < setting.better else -setting.step if luck > 1 - WORSE else 0.0
    return np.asarray(step + rng.normal(0, TASK_NOISE, size))


def _score(logits: FloatArray) -> float:
    return float(expit(logits[-POPULATION:]).mean())


@dataclass(frozen=True)
class Summary:
    """Means and shares over runs."""

    gain: float
    gate_gain: float
    full_gate_gain: float
    overstated: float
    certified: float
    bias: float
    """Of the certified number; NaN where there are fewer than 20."""
    false: float


def measure(setting: Setting, runs: int) -> Summary:
    """Run so many proposers."""
    found = [run_loop(setting, seed) for seed in range(runs)]
    biases = [shown - after for one in found for _, after, shown in one.certificates]
    return Summary(
        gain=float(np.mean([one.gain for one in found])),
        gate_gain=float(np.mean([one.gate_gain for one in found])),
        full_gate_gain=float(np.mean([one.full_gate_gain for one in found])),
        overstated=float(np.mean([one.overstated for one in found])),
        certified=float(np.mean([len(one.certificates) > 0 for one in found])),
        bias=float(np.mean(biases)) if len(biases) >= 20 else math.nan,
        false=float(np.mean([one.has_false for one in found])),
    )


MIXES = {"steps of .25": {}, "steps of .12": {"step": 0.12}, "rare steps of .8": {"step": 0.8, "better": 0.03}}
SIZES = ((100, 4), (200, 4), (100, 1), (200, 1))
SETTINGS = {
    f"{mix}, {tasks} + {tasks} × {repeats}": Setting(tasks=tasks, repeats=repeats, **edits)  # type: ignore[arg-type]  # floats
    for mix, edits in MIXES.items()
    for tasks, repeats in SIZES
} | {
    f"{name}, 100 + 100 × {repeats}": Setting(repeats=repeats, step=0.0, edits=300, is_fishing=is_fishing)
    for name, is_fishing in (("300 edits, none better", False), ("300 edits, climbing on the words", True))
    for repeats in (4, 1)
}
WITHOUT_CERTIFICATE = {"steps of .25, 100 + 100 × 4": 20, "steps of .25, 200 + 200 × 4": 7}
"""At most so many percent of the runs; elsewhere the share is reported."""


def list_lines(found: dict[str, Summary]) -> Iterator[str]:
    """The lines of the guide's table."""
    yield "| | true gain | strict gate | twice the runs | over-reports | certified | number − truth | a false one |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, one in found.items():
        bias = "–" if math.isnan(one.bias) else f"{one.bias:+.4f}"
        gains = f"{one.gain:+.3f} | {one.gate_gain:+.3f} | {one.full_gate_gain:+.3f} | {one.overstated:+.3f}"
        yield f"| {name} | {gains} | {one.certified:.3f} | {bias} | {one.false:.3f} |"


def list_rows(found: dict[str, Summary]) -> Iterator[Row]:
    """What holds and what is missed: in percent of runs, and in thousandths of the score."""
    for name, one in found.items():
        if SETTINGS[name].step > 0:
            lost = 100 * (1 - one.gain / one.gate_gain)
            yield Row(f"gain lost against a strict gate with as many runs: {name}", lost, 10, 1, "%")
            most = WITHOUT_CERTIFICATE.get(name, math.inf)
            yield Row(f"runs without a certificate: {name}", 100 * (1 - one.certified), most, 1, "%")
        if not math.isnan(one.bias):
            yield Row(f"certified number − truth: {name}", 1000 * abs(one.bias), 5, 1, "‰")
        yield Row(f"runs with a false certificate: {name}", 100 * one.false, 5, 1, "%")


def run(runs: int = 400) -> list[Row]:
    """All settings, as the targets have them."""
    return [*list_rows({name: measure(one, runs) for name, one in SETTINGS.items()})]


def main() -> None:
    """Print the table, then what is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400)
    runs = parser.parse_args().runs
    found = {name: measure(one, runs) for name, one in SETTINGS.items()}
    for line in list_lines(found):
        print(line)
    for row in list_rows(found):
        if not row.holds:
            print(f"missed: {row.what}: {row.ours:.1f} {row.unit}, ratio {row.ratio:.2f}")


if __name__ == "__main__":
    main()
