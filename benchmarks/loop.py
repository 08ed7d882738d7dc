"""What the referee of a system that improves itself keeps, certifies and says wrongly.

python -m benchmarks.loop                   # the table, 400 runs each: some minutes
python -m benchmarks loop                   # the targets alone, 400 runs each

A proposer makes 60 edits of a system that answers tasks of different difficulty. Open tasks steer and guarded tasks
certify, as `Loop.propose` does; the strict gate keeps what scores higher on all of these tasks together, with as many
runs of each. The true score is that on 2,000 further tasks.
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
    """Of one run: the true gains of what was kept and of the strict gate, and of each certificate what is true."""

    gain: float
    gate_gain: float
    overstated: float
    certificates: tuple[tuple[float, float, float], ...]
    """The true score before and after, and the number that was shown."""

    @property
    def has_false(self) -> bool:
        return any(after <= before for before, after, _ in self.certificates)


def run_loop(setting: Setting, seed: int) -> Outcome:
    """Let one proposer run, with the strict gate beside it on the same edits."""
    rng = np.random.default_rng([seed, setting.tasks, setting.repeats, round(1000 * setting.step)])
    opened, guarded = np.arange(setting.tasks), np.arange(setting.tasks, 2 * setting.tasks)
    tasks = np.arange(2 * setting.tasks)
    open_key, key = (AnswerKey([0] * setting.tasks, MeanScore()) for _ in range(2))
    mechanism = Certifier()
    state = mechanism.start(key.baseline, np.random.default_rng(0))

    def answer(logits: FloatArray) -> FloatArray:
        return np.asarray(rng.binomial(setting.repeats, expit(logits)) / setting.repeats)

    def evaluate(scores: FloatArray, number: int) -> Evaluation:
        return key.evaluate(scores, submission=str(number))

    start = rng.normal(0, DIFFICULTY, len(tasks) + POPULATION)
    kept = gate = certified = start
    kept_seen = certified_seen = answer(start[opened])
    gate_seen = answer(start[tasks])
    standing = evaluate(answer(start[guarded]), 0)
    state, _ = mechanism.step(state, standing, key.baseline, np.random.default_rng(0))
    told: list[tuple[float, float, float]] = []
    for number in range(1, setting.edits + 1):
        edit = _draw_edit(setting, rng, len(start))
        scores = answer((gate + edit)[tasks])
        if scores.mean() > gate_seen.mean():
            gate, gate_seen = gate + edit, scores
        proposed = (certified if setting.is_fishing else kept) + edit
        seen = answer(proposed[opened])
        if not setting.is_fishing:
            if decide(*compare(open_key, kept_seen, seen)) != "kept":
                continue
            kept, kept_seen = proposed, seen
            if not is_convinced(*compare(open_key, certified_seen, seen)):
                continue
        candidate = evaluate(answer(proposed[guarded]), number)
        state, release = mechanism.step(state, candidate, standing, np.random.default_rng(0))
        if release.improved:
            told.append((_score(certified), _score(proposed), release.value or 0.0))
            certified, certified_seen, standing = proposed, seen, candidate
    gain = _score(kept) - _score(start)
    return Outcome(gain, _score(gate) - _score(start), float(gate_seen.mean()) - _score(gate), tuple(told))


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
    overstated: float
    certified: float
    bias: float
    false: float


def measure(setting: Setting, runs: int) -> Summary:
    """Run so many proposers."""
    found = [run_loop(setting, seed) for seed in range(runs)]
    biases = [shown - after for one in found for _, after, shown in one.certificates]
    return Summary(
        gain=float(np.mean([one.gain for one in found])),
        gate_gain=float(np.mean([one.gate_gain for one in found])),
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


def list_rows(runs: int) -> Iterator[str]:
    """The lines of the table."""
    yield "| | true gain | strict gate, all tasks | over-reports | a certificate | number − truth | a false one |"
    yield "|---|---|---|---|---|---|---|"
    for name, setting in SETTINGS.items():
        one = measure(setting, runs)
        bias = "–" if math.isnan(one.bias) else f"{one.bias:+.4f}"
        gains = f"{one.gain:+.3f} | {one.gate_gain:+.3f} | {one.overstated:+.3f}"
        yield f"| {name} | {gains} | {one.certified:.3f} | {bias} | {one.false:.3f} |"


def run(runs: int = 400) -> list[Row]:
    """The targets: in percent of runs, and in thousandths of the score."""
    small, large = (measure(Setting(tasks=tasks), runs) for tasks in (100, 200))
    false = {name: measure(one, runs).false for name, one in SETTINGS.items() if one.step == 0}
    ratio = "a strict gate's true gain, of the loop's, 100 + 100 × 4"
    return [
        Row(ratio, 1000 * small.gate_gain, 1000 * small.gain, 1 / 0.9, "‰"),
        Row("certified number − truth, 100 + 100 × 4", 1000 * abs(small.bias), 5, 1, "‰"),
        Row("certified number − truth, 200 + 200 × 4", 1000 * abs(large.bias), 5, 1, "‰"),
        Row("runs without a certificate, 100 + 100 × 4", 100 * (1 - small.certified), 20, 1, "%"),
        Row("runs without a certificate, 200 + 200 × 4", 100 * (1 - large.certified), 7, 1, "%"),
        *(Row(f"false certificates, {name}", 100 * share, 5, 1, "%") for name, share in false.items()),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400)
    for line in list_rows(parser.parse_args().runs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
