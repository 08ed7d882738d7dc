"""Scripted agents on tabular data: what a raw holdout, a validation set and a loop say of what they publish."""

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import (
    Cell,
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    experiment,
    list_repetitions,
    self_consistent,
)
from ladderboard_lab.experiments.deciding import usually
from ladderboard_lab.experiments.drawing import AMBER, BLUE, GREEN, MUTED, RED
from ladderboard_lab.experiments.own.tabular_agents import AGENTS, FAMILIES, Agent, Library, World
from ladderboard_lab.participant import Array, FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATA = ("breast_cancer", "diabetes", "digits")
RAW, VALIDATION, ONE_LOOK, LOOP = "raw holdout", "validation only", "validation, then one look", "loop"
COLOURS = {RAW: RED, VALIDATION: AMBER, ONE_LOOK: BLUE, LOOP: GREEN}
DEAF = "the agents choose at random"
UNGUARDED = "the loop shows the open score of what it keeps"
OVERFIT, PRIVATE, AGREEMENT, SHOWN = "shown_minus_private", "private", "rank_agreement", "shows_a_number"
MEASURES = (OVERFIT, PRIVATE, AGREEMENT, SHOWN)


@dataclass(frozen=True)
class _Task:
    data: str
    proposals: int
    control: str | None


@dataclass
class _Best:
    """Publishes the proposal with the best score on some items."""

    world: World
    places: IntArray
    deaf: np.random.Generator | None
    score: float = -math.inf
    published: Array = field(default_factory=lambda: np.empty(0))

    def __call__(self, predictions: Array) -> float:
        score = self.world.score(predictions, self.places) if self.deaf is None else self.deaf.random()
        if score > self.score:
            self.score, self.published = score, predictions
        return score


@dataclass
class _Refereed:
    """Publishes what a loop certifies, at first the reference; ``shows_open``: what it keeps, by its open score."""

    loop: "lb.Loop"
    deaf: np.random.Generator | None
    shows_open: bool
    shown: float = math.nan
    published: Array = field(default_factory=lambda: np.empty(0))

    def __call__(self, predictions: Array) -> float:
        told = self.loop.propose(
            {one: int(predictions[int(one)]) for one in (*self.loop.open.ids, *self.loop.guarded.ids)}
        )
        is_news = told.kept if self.shows_open else told.certified or told.number == 1
        if is_news and not told.is_repeat:
            number = told.open_score if self.shows_open else told.board_value
            self.shown, self.published = math.nan if number is None else number, predictions
        return told.open_score if self.deaf is None else self.deaf.random()


@experiment(
    id="own-agents",
    title="Agents that search for tabular models, steered by a raw holdout, a validation set or a loop",
    claim="Scripted agents propose 200 models each and publish one. By how much is the number that is shown for it "
    "above its score on private items, and do the numbers rank the agents as the private items do?",
    controls=(DEAF, UNGUARDED),
)
def own_agents(conditions: Conditions) -> ExperimentResult:
    """Shown minus private score, what is published, and the rank agreement of six agents on three data sets."""
    proposals, repetitions = conditions.choose(full=200, quick=30), conditions.repeat(full=24, quick=60)
    names = conditions.choose(full=DATA, quick=DATA[:2])
    tasks = [_Task(data, proposals, conditions.control) for _ in range(repetitions) for data in names]
    # repetitions × data × measures × regimes
    found = np.stack(conditions.run(_compete, tasks, title="agents")).reshape(
        repetitions, len(names), len(MEASURES), -1
    )
    raw = list_repetitions(found, "value", data=names, measure=MEASURES, steered_by=[*COLOURS])
    return ExperimentResult(
        _table(found), partial(_draw, found=found), _verdict(found, proposals), size=(7.5, 3.6), raw=raw
    )


def _compete(task: _Task, seed: np.random.SeedSequence) -> FloatArray:
    """Measures × regimes, over the agents on one split of the data."""
    rng = np.random.default_rng(seed)
    world, split = World.draw(task.data, rng), int(rng.integers(2**31))
    shown, private = [], []
    for family in FAMILIES:
        library = Library.draw(world, family, task.proposals, rng)
        for agent in AGENTS.values():
            told = _let_run(agent, world, library, task.control, split=split, seed=int(rng.integers(2**31)))
            shown.append([number for number, _ in told])
            private.append([score for _, score in told])
    numbers, truth = np.array(shown).T, np.array(private).T
    has = np.isfinite(numbers)
    overfit = [
        float(np.mean((one - true)[known])) if known.any() else math.nan
        for one, true, known in zip(numbers, truth, has, strict=True)
    ]
    agreement = [_agree(one, true) for one, true in zip(numbers, truth, strict=True)]
    return np.array([overfit, truth.mean(axis=1), agreement, has.mean(axis=1)])


def _let_run(
    agent: Agent, world: World, library: Library, control: str | None, *, split: int, seed: int
) -> list[tuple[float, float]]:
    """For each regime what is shown, without the luck of the split, and the private score of what is published."""
    tasks = [{"id": int(place), "input": int(place), "answer": int(world.labels[place])} for place in world.holdout]
    with lb.Loop(tasks, _grade, seed=split) as loop:
        opened, guarded = (np.array([int(one) for one in part.ids]) for part in (loop.open, loop.guarded))
        deaf = [np.random.default_rng([seed, place]) if control == DEAF else None for place in range(3)]
        raw, validation = _Best(world, world.holdout, deaf[0]), _Best(world, opened, deaf[1])
        refereed = _Refereed(loop, deaf[2], shows_open=control == UNGUARDED)
        for judge in (raw, validation, refereed):
            agent(world, library, judge, np.random.default_rng(seed))
    told = [
        (world.score(raw.published, world.holdout), raw.published, world.holdout),
        (world.score(validation.published, opened), validation.published, opened),
        (world.score(validation.published, guarded), validation.published, guarded),
        (refereed.shown, refereed.published, opened if control == UNGUARDED else guarded),
    ]
    return [
        (shown - _find_luck(world, library, places), world.score(published, world.private))
        for shown, published, places in told
    ]


def _grade(item: dict[str, int], output: int) -> float:
    return float(output == item["answer"])


def _find_luck(world: World, library: Library, places: IntArray) -> float:
    """How much easier these items are than the private ones, for models that were drawn before anything was scored.

    It is zero on average; without it the mean over splits is the same and varies less.
    """
    return float(np.mean([world.score(one, places) - world.score(one, world.private) for one in library.predictions]))


def _agree(shown: FloatArray, truth: FloatArray) -> float:
    """Kendall's τ-b; who shows no number comes last."""
    from scipy.stats import kendalltau

    filled = np.where(np.isfinite(shown), shown, -1.0)
    return 0.0 if np.ptp(filled) == 0 or np.ptp(truth) == 0 else float(kendalltau(filled, truth).statistic)


def _average(found: FloatArray, measure: str) -> FloatArray:
    """Repetitions × regimes, the mean over the data sets in which a number is shown."""
    return _mean_known(found[:, :, MEASURES.index(measure)], axis=1)


def _mean_known(values: FloatArray, axis: int) -> FloatArray:
    """The mean without NaN; NaN where there is nothing else."""
    known = np.isfinite(values).sum(axis=axis)
    return np.asarray(np.nansum(values, axis=axis) / np.where(known, known, np.nan))


def _table(found: FloatArray) -> ResultTable:
    rows: list[tuple[Cell, ...]] = []
    for place, data in enumerate((*DATA[: found.shape[1]], "all")):
        own = _mean_known(found, axis=1) if data == "all" else found[:, place]
        for column, regime in enumerate(COLOURS):
            means, overfit = _mean_known(own[:, :, column], axis=0), own[:, 0, column]
            known = overfit[np.isfinite(overfit)]
            error = float(known.std(ddof=1) / math.sqrt(len(known))) if len(known) > 1 else math.nan
            rows.append((data, regime, *map(float, means), error, len(known)))
    return ResultTable(("data", "steered_by", *MEASURES, "standard_error", "splits_with_a_number"), rows)


def _verdict(found: FloatArray, proposals: int) -> Verdict:
    # Every split of every data set is a repetition: they have seeds of their own.
    raw, validation, _, loop = found[:, :, MEASURES.index(OVERFIT)].reshape(-1, len(COLOURS)).T
    told = np.isfinite(loop)
    checks = (
        self_consistent("a raw holdout shows more than the private items", usually(raw > 0)),
        self_consistent("a validation set of half its size shows more still", usually(validation > raw)),
        self_consistent("the number that a loop certifies shows less", usually((loop < validation)[told])),
    )
    means = {measure: _mean_known(_average(found, measure), axis=0) for measure in MEASURES}
    listed = "; ".join(
        f"{name} {100 * means[OVERFIT][place]:+.1f} (τ {means[AGREEMENT][place]:.2f})"
        for place, name in enumerate(COLOURS)
    )
    sentence = (
        f"After {proposals} proposals of each of six agents on {found.shape[1]} data sets, the number shown is above "
        "the private score by so many points, and ranks the agents as the private items do with Kendall's τ: "
        f"{listed}. "
        f"{100 * means[SHOWN][3]:.0f} % of the loops certified something (mean of {len(found)} splits)."
    )
    shown = dict(zip(COLOURS, means[OVERFIT].tolist(), strict=True))
    # Of a few splits no loop may have certified anything.
    return Verdict(checks, sentence, numbers={name: one for name, one in shown.items() if math.isfinite(one)})


def _draw(figure: "Figure", *, found: FloatArray) -> None:
    axes = figure.subplots(1, found.shape[1], sharey=True, squeeze=False)[0]
    for place, panel in enumerate(axes):
        values = found[:, place, MEASURES.index(OVERFIT)]
        shown = [column[np.isfinite(column)] for column in values.T]
        errors = [2 * float(one.std(ddof=1)) / math.sqrt(len(one)) if len(one) > 1 else 0.0 for one in shown]
        panel.bar(range(len(COLOURS)), _mean_known(values, axis=0), yerr=errors, color=[*COLOURS.values()])
        panel.axhline(0, color=MUTED, linewidth=0.8)
        panel.set_xticks(range(len(COLOURS)), [name.replace(" ", "\n") for name in COLOURS], fontsize=7)
        panel.set_title(DATA[place].replace("_", " "), fontsize=9)
    axes[0].set_ylabel("shown minus private accuracy")
