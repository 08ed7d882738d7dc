"""Best of many models that never saw a score, beside a search that is told every score, on one kind of board."""

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import (
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    experiment,
    list_repetitions,
    self_consistent,
)
from ladderboard_lab.experiments.deciding import usually
from ladderboard_lab.experiments.drawing import BLUE, GREEN, MUTED, PURPLE, RED
from ladderboard_lab.experiments.estimates import mean_of
from ladderboard_lab.participant import Array, FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PUBLIC, PRIVATE = 1000, 2500
FEATURES, TRAINING = 20, 500
NOISE = 0.8
"""Of a label's score; its features together have the standard deviation 1."""
CHECKPOINTS = (30, 100, 300, 1000)
ALL_BUT_TWO, A_FIFTH = 18, 4
"""How many of the features an analyst is given; those who see nearly all of them make the same mistakes."""
STEP = 0.5
"""By how much a member of the search's ensemble moves the model, in standard deviations of the model's scores."""
PLANES = 3
"""The search's members are random: the sign of the product of so many random linear scores."""
ALIKE, UNLIKE, SEARCH, GUARDED = "models alike", "models unlike", "search", "search, Witness Ladder"
COLOURS = {ALIKE: GREEN, UNLIKE: BLUE, SEARCH: RED, GUARDED: PURPLE}

NATURAL = "the search ignores the scores"
SEARCHING = "the analysts search by the scores"
EXCHANGED = "the analysts alike and unlike exchanged"
UNGUARDED = "full disclosure in the place of the Witness Ladder"


@dataclass(frozen=True)
class _Task:
    checkpoints: tuple[int, ...]
    control: str | None


@dataclass(frozen=True, eq=False)
class _World:
    """Items with features and labels: those to train on, the public ones, then the private ones."""

    features: FloatArray
    labels: Array
    rng: np.random.Generator

    @classmethod
    def draw(cls, rng: np.random.Generator) -> "_World":
        features = rng.standard_normal((TRAINING + PUBLIC + PRIVATE, FEATURES))
        scores = features.sum(axis=1) / math.sqrt(FEATURES) + NOISE * rng.standard_normal(len(features))
        return cls(features, scores > 0, rng)

    def fit(self, seen: int) -> FloatArray:
        """The scores that least squares on a bootstrap sample and ``seen`` random features gives the test items."""
        rows, columns = self.rng.integers(TRAINING, size=TRAINING), self.rng.permutation(FEATURES)[:seen]
        given, wanted = self.features[rows][:, columns], 2.0 * self.labels[rows] - 1
        return np.asarray(self.features[TRAINING:, columns] @ np.linalg.solve(given.T @ given, given.T @ wanted))

    def make_members(self, count: int) -> FloatArray:
        """``count`` random functions of the features, ±1 on each test item."""
        planes = self.rng.standard_normal((PLANES, FEATURES, count), dtype=np.float32)
        return np.asarray(np.sign(np.prod(self.features[TRAINING:].astype(np.float32) @ planes, axis=0))).T

    def open_board(self, mechanism: "lb.Mechanism") -> "lb.Leaderboard":
        return lb.Leaderboard(self.labels[TRAINING : TRAINING + PUBLIC], mechanism=mechanism, seed=0)

    def private_loss(self, scores: FloatArray) -> float:
        return float(((scores[PUBLIC:] > 0) != self.labels[TRAINING + PUBLIC :]).mean())


@experiment(
    id="own-objection",
    title="Natural analysts beside a search that uses every score",
    claim="Roelofs et al. 2019 find little overfitting in Kaggle's competitions. On a board of ours that shows every "
    "score, how much better than it is does the best of many trained models look, and the end of an automated search?",
    controls=(NATURAL, SEARCHING, EXCHANGED, UNGUARDED),
)
def own_objection(conditions: Conditions) -> ExperimentResult:
    """Loss on fresh items minus the loss that the board shows, by the number of submissions."""
    checkpoints = conditions.choose(full=CHECKPOINTS, quick=CHECKPOINTS[:3])
    runs = conditions.repeat(full=120, quick=120)
    tasks = [_Task(checkpoints, conditions.control)] * runs
    found = np.stack(conditions.run(_compete, tasks, title="analysts and searches"))
    overfit = {kind: found[:, place] for place, kind in enumerate(COLOURS)}
    draw = partial(_draw, checkpoints=checkpoints, overfit=overfit)
    raw = list_repetitions(found, "overfit", competitor=[*COLOURS], submissions=checkpoints)
    verdict = _verdict(checkpoints, overfit)
    return ExperimentResult(_table(checkpoints, overfit), draw, verdict, size=(7.0, 4.2), raw=raw)


def sampling_limit(submissions: float) -> float:
    """√(2 ln k)/(2√n): no luck of k models that were fixed before the test set was drawn is expected to be larger.

    >>> round(sampling_limit(300), 4)
    0.0534
    """
    return math.sqrt(2 * math.log(submissions)) / (2 * math.sqrt(PUBLIC))


def _compete(task: _Task, seed: np.random.SeedSequence) -> FloatArray:
    """Kinds × checkpoints: one world, and each kind of competitor on a board of its own."""
    world = _World.draw(np.random.default_rng(seed))
    shows_all, guarded = lb.FullDisclosure(), lb.FullDisclosure() if task.control == UNGUARDED else lb.WitnessLadder()
    natural = [
        _search(world, shows_all, task.checkpoints) if task.control == SEARCHING else _pick_best(world, seen, task)
        for seen in (ALL_BUT_TWO, A_FIFTH)[:: -1 if task.control == EXCHANGED else 1]
    ]
    deaf = task.control == NATURAL
    searches = [_search(world, mechanism, task.checkpoints, deaf=deaf) for mechanism in (shows_all, guarded)]
    return np.array([*natural, *searches])


def _pick_best(world: _World, seen: int, task: _Task) -> list[float]:
    """Submit models that do not depend on any score; the board keeps the best of them."""
    board, found = world.open_board(lb.FullDisclosure()), []
    best = np.empty(0)
    for attempt in range(1, task.checkpoints[-1] + 1):
        scores = world.fit(seen)
        release = board.submit("analysts", scores[:PUBLIC] > 0)
        best = scores if release.accepted else best
        if attempt in task.checkpoints:
            found.append(world.private_loss(best) - _shown(release))
    return found


def _search(
    world: _World, mechanism: "lb.Mechanism", checkpoints: tuple[int, ...], *, deaf: bool = False
) -> list[float]:
    """Try random members beside a trained model, then let each vote by how much better the board called it.

    ``deaf``: the votes are in random order.
    """
    board, base, found = world.open_board(mechanism), world.fit(ALL_BUT_TWO), []
    members, gains = STEP * base.std() * world.make_members(checkpoints[-1]), np.full(checkpoints[-1], np.nan)
    start = _shown(board.submit("search", base[:PUBLIC] > 0))
    best = base
    for attempt in range(2, checkpoints[-1] + 1):
        is_vote = attempt in checkpoints
        trial = base + (
            _vote(members, world.rng.permutation(gains) if deaf else gains) if is_vote else members[attempt]
        )
        release = board.submit("search", trial[:PUBLIC] > 0)
        best = trial if release.accepted else best
        if is_vote:
            found.append(world.private_loss(best) - _shown(release))
        else:
            gains[attempt] = start - (start if release.value is None else release.value)
    return found


def _vote(members: FloatArray, gains: FloatArray) -> FloatArray:
    """Members weighted by what each gained beyond their mean, with the spread of one member."""
    tried = np.flatnonzero(np.isfinite(gains))
    votes = (gains[tried] - gains[tried].mean()) @ members[tried]
    spread = votes.std()
    return np.asarray(votes * (members[0].std() / spread) if spread > 0 else votes)


def _shown(release: "lb.Release") -> float:
    assert release.board_value is not None
    return release.board_value


def _table(checkpoints: tuple[int, ...], overfit: dict[str, FloatArray]) -> ResultTable:
    return ResultTable(
        ("competitor", "submissions", "runs", "overfit", "standard_error", "sampling_limit"),
        [
            (kind, k, len(own), float(own[:, place].mean()), _standard_error(own[:, place]), sampling_limit(k))
            for kind, own in overfit.items()
            for place, k in enumerate(checkpoints)
        ],
    )


def _standard_error(values: FloatArray) -> float:
    return float(values.std(ddof=1) / math.sqrt(len(values)))


def _verdict(checkpoints: tuple[int, ...], overfit: dict[str, FloatArray]) -> Verdict:
    limit, end = sampling_limit(checkpoints[-1]), {kind: own[:, -1] for kind, own in overfit.items()}
    last = {kind: mean_of(own) for kind, own in end.items()}
    checks = (
        self_consistent(
            "the best of the trained models looks better than it is by less than √(2 ln k)/(2√n)",
            [usually(end[kind] < limit) for kind in (ALIKE, UNLIKE)],
        ),
        self_consistent("and by less where the models are alike", usually(end[ALIKE] < end[UNLIKE])),
        self_consistent("the search that uses every score exceeds that limit", usually(end[SEARCH] > limit)),
        self_consistent("on the Witness Ladder the same search stays below it", usually(end[GUARDED] < limit)),
    )
    listed = ", ".join(f"{kind} {100 * value:+.1f}" for kind, value in last.items())
    sentence = (
        f"After {checkpoints[-1]} submissions to {PUBLIC} public items the number on the board is better than the same "
        f"predictions on fresh items by so many points: {listed} (full disclosure unless said; mean of "
        f"{len(overfit[SEARCH])} runs). Models that were fixed in advance stay below √(2 ln k)/(2√n), here "
        f"{100 * limit:.1f}."
    )
    return Verdict(checks, sentence, numbers=last)


def _draw(figure: "Figure", *, checkpoints: tuple[int, ...], overfit: dict[str, FloatArray]) -> None:
    axes = figure.subplots()
    for kind, own in overfit.items():
        errors = [2 * _standard_error(own[:, place]) for place in range(len(checkpoints))]
        axes.errorbar(checkpoints, own.mean(axis=0), errors, color=COLOURS[kind], marker="o", markersize=4, label=kind)
    grid = np.geomspace(checkpoints[0], checkpoints[-1], 60)
    axes.plot(grid, [sampling_limit(k) for k in grid], color=MUTED, linestyle="--", label="√(2 ln k)/(2√n)")
    axes.axhline(0, color=MUTED, linewidth=0.8)
    axes.set(xscale="log", xlabel="submissions", ylabel="loss on fresh items minus the loss shown")
    axes.legend(loc="upper left")
