"""What the Certifier says to a system that improves itself: how often, how truly, and with which numbers.

A proposer edits a system that answers tasks of different difficulty, several times each. It keeps an edit where open
tasks say so, and asks about what it kept where it is 2 standard errors above the last certified system there. One edit
in ten is truly better, three in ten are worse, and every edit moves single tasks up and down by chance.

python -m tests.claims.certificates                  # 400 runs each: some minutes
python -m tests.claims.certificates --runs 100
"""

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

import ladderboard as lb
from ladderboard.core.records import Evaluation, FloatArray, State
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.mean_score import MeanScore

POPULATION = 2000
"""Further tasks, on which the true score is computed."""
DIFFICULTY, TASK_NOISE = 1.5, 0.3
"""Standard deviations of a task's logit, and of what an edit does to it by chance."""
CONVINCED = 2.0
"""Standard errors above the last certified system on the open tasks at which the guard is asked."""


@dataclass(frozen=True)
class Setting:
    """Tasks and proposer. ``step``: the logit of a true gain; 0: nothing is ever better or worse.

    ``is_guided``: whether open tasks steer; else the guard is asked about every edit of the certified system, and only
    its words steer. ``per_group``: so many guarded tasks share the chance of an edit.
    """

    tasks: int = 100
    repeats: int = 4
    step: float = 0.25
    edits: int = 60
    is_guided: bool = True
    per_group: int = 1


@dataclass
class Series:
    """What one run heard: for each certificate the true scores before and after, and what was shown."""

    certificates: list[tuple[float, float, lb.Release]] = field(default_factory=list)
    questions: int = 0

    @property
    def has_false(self) -> bool:
        return any(after <= before for before, after, _ in self.certificates)


@dataclass
class Guard:
    """Guarded tasks behind a mechanism, without a file."""

    mechanism: lb.Mechanism
    key: AnswerKey
    state: State = field(init=False)
    certified: Evaluation = field(init=False)

    def __post_init__(self) -> None:
        self.state = self.mechanism.start(self.key.baseline, np.random.default_rng(0))
        self.certified = self.key.baseline

    def ask(self, scores: FloatArray) -> lb.Release:
        candidate = self.key.evaluate(scores, submission=f"{self.state.attempts + 1}")
        self.state, release = self.mechanism.step(self.state, candidate, self.certified, np.random.default_rng(0))
        if candidate.submission == self.state.incumbent:
            self.certified = candidate
        return release


def run_series(setting: Setting, seed: int, mechanism: lb.Mechanism | None = None) -> Series:
    """Let one proposer run."""
    rng = np.random.default_rng([seed, setting.tasks, setting.repeats, round(100 * setting.step)])
    sizes = (setting.tasks, setting.tasks, POPULATION)
    opened, guarded, everywhere = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    groups = np.arange(setting.tasks) // setting.per_group if setting.per_group > 1 else None
    guard = Guard(mechanism or lb.Certifier(), AnswerKey([0] * setting.tasks, MeanScore(), group=groups))

    def answer(logits: FloatArray) -> FloatArray:
        return np.asarray(rng.binomial(setting.repeats, expit(logits)) / setting.repeats)

    kept = rng.normal(0, DIFFICULTY, sum(sizes))
    certified, seen = kept, answer(kept[opened])
    certified_seen = seen
    guard.ask(answer(kept[guarded]))
    found = Series()
    for _ in range(setting.edits):
        edited = (kept if setting.is_guided else certified) + _draw_edit(setting, rng, sizes)
        if setting.is_guided:
            scores = answer(edited[opened])
            if scores.mean() <= seen.mean():
                continue
            kept, seen = edited, scores
            if not _is_convinced(seen - certified_seen):
                continue
        found.questions += 1
        release = guard.ask(answer(edited[guarded]))
        if release.improved:
            before, after = (float(expit(one[everywhere]).mean()) for one in (certified, edited))
            found.certificates.append((before, after, release))
            certified, certified_seen = edited, seen
    return found


def _draw_edit(setting: Setting, rng: np.random.Generator, sizes: tuple[int, int, int]) -> FloatArray:
    luck = rng.random()
    step = setting.step if luck < 0.1 else -setting.step if luck < 0.4 else 0.0
    noise = rng.normal(0, TASK_NOISE, sum(sizes))
    if setting.per_group > 1:
        together = np.repeat(noise[:: setting.per_group], setting.per_group)[: sum(sizes)]
        noise[: 2 * setting.tasks] = 3 * together[: 2 * setting.tasks]
    return np.asarray(step + noise)


def _is_convinced(gains: FloatArray) -> bool:
    error = float(np.std(gains, ddof=1)) / math.sqrt(len(gains))
    return error > 0 and float(gains.mean()) >= CONVINCED * error


@dataclass(frozen=True)
class Summary:
    """Shares of runs, and means over certificates."""

    certified: float
    certificates: float
    false: float
    bias: float
    covers: float

    @classmethod
    def of(cls, found: list[Series]) -> "Summary":
        every = [one for series in found for one in series.certificates]
        shown = [(release.value or 0.0, release.interval, after) for _, after, release in every]
        covered = [interval is not None and interval[0] <= after <= interval[1] for _, interval, after in shown]
        return cls(
            certified=float(np.mean([len(series.certificates) > 0 for series in found])),
            certificates=len(every) / len(found),
            false=float(np.mean([series.has_false for series in found])),
            bias=float(np.mean([value - after for value, _, after in shown])) if shown else math.nan,
            covers=float(np.mean(covered)) if shown else math.nan,
        )


def measure(setting: Setting, *, runs: int, mechanism: lb.Mechanism | None = None) -> Summary:
    """Run so many proposers."""
    return Summary.of([run_series(setting, seed, mechanism) for seed in range(runs)])


SETTINGS = {
    "100 + 100 tasks × 4": Setting(),
    "200 + 200 tasks × 4": Setting(tasks=200),
    "300 + 300 tasks × 1": Setting(tasks=300, repeats=1),
    "100 + 100 tasks × 1": Setting(repeats=1),
    "100 + 100 × 4, steps of .12": Setting(step=0.12),
    "200 + 200 × 4, steps of .12": Setting(tasks=200, step=0.12),
    "100 + 100 × 4, nothing improves, 300 edits": Setting(step=0.0, edits=300),
    "100 + 100 × 1, nothing improves, 300 edits": Setting(repeats=1, step=0.0, edits=300),
    "100 × 4, climbing on the words, 300 questions": Setting(step=0.0, edits=300, is_guided=False),
    "100 × 1, climbing on the words, 300 questions": Setting(repeats=1, step=0.0, edits=300, is_guided=False),
    "250 × 4 in groups of 5, climbing on the words": Setting(
        tasks=250, step=0.0, edits=300, is_guided=False, per_group=5
    ),
}


def list_rows(runs: int) -> Iterator[str]:
    """The lines of the table."""
    yield "| | runs with a certificate | certificates | false | number − truth | interval covers |"
    yield "|---|---|---|---|---|---|"
    for name, setting in SETTINGS.items():
        found = measure(setting, runs=runs)
        shown = f"{found.bias:+.4f} | {found.covers:.3f}" if found.certificates * runs >= 30 else "– | –"
        yield f"| {name} | {found.certified:.3f} | {found.certificates:.2f} | {found.false:.3f} | {shown} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400)
    for line in list_rows(parser.parse_args().runs):
        print(line, flush=True)  # noqa: T201 (its table)


if __name__ == "__main__":
    main()
