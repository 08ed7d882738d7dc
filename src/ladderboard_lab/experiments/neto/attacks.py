"""Runs of Freedman's attack and of its step-forward variant on one repetition's data, measured on both sets."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.freedman import best_released, fits_for
from ladderboard_lab.attacks.step_forward import StepForward
from ladderboard_lab.experiments.neto.data import Study
from ladderboard_lab.experiments.neto.mechanisms import Panel
from ladderboard_lab.participant import Array, FloatArray, LocalParticipant
from ladderboard_lab.problems.base import Problem


@dataclass(frozen=True, eq=False)
class Campaign:
    """One attack on several mechanisms, again and again; travels to the workers.

    ``steps`` are the readings: numbers of features kept (Freedman) or of iterations (step-forward). ``is_random``: the
    attacker ignores what the board tells, a negative control. ``repeats_are_free``: the same submission again gets the
    stored answer; the paper's boards answer anew.
    """

    study: Study
    panels: tuple[Panel, ...]
    steps: tuple[int, ...]
    metric: str = "mse"
    attack: StepForward = field(default_factory=StepForward)
    is_random: bool = False
    repeats_are_free: bool = False


def run_freedman(campaign: Campaign, seed: np.random.SeedSequence) -> FloatArray:
    """Mechanisms × numbers of features kept × (public, final) loss of the attacker's regression."""
    rng = np.random.default_rng(seed)
    problem = campaign.study.repetition(rng).problem(campaign.metric)
    board_seed, order_seed = (int(number) for number in rng.integers(2**62, size=2))

    def attack(mechanism: "lb.Mechanism") -> list[tuple[float, ...]]:
        fits = fits_for(problem.briefing)
        if campaign.is_random:
            order = np.random.default_rng(order_seed).permutation(fits.candidates)
        else:
            participant = open_board(problem, mechanism, seed=board_seed)
            order = best_released(participant, fits, budget=len(fits.candidates))
        rows: list[tuple[float, ...]] = []
        for kept in campaign.steps:
            fits.choose(*order[len(fits.chosen) : kept])
            rows.append(both_losses(problem, fits.predictions))
        return rows

    return _for_each(campaign.panels, attack)


def run_step_forward(campaign: Campaign, seed: np.random.SeedSequence) -> FloatArray:
    """Mechanisms × numbers of iterations × (public, final, released) loss of the attacker's regression.

    Released is what the board shows after the last submission of the iteration.
    """
    rng = np.random.default_rng(seed)
    problem = campaign.study.repetition(rng).problem(campaign.metric)
    board_seed, order_seed = (int(number) for number in rng.integers(2**62, size=2))

    def attack(mechanism: "lb.Mechanism") -> list[tuple[float, ...]]:
        participant = open_board(problem, mechanism, seed=board_seed)
        participant.repeats_are_free = campaign.repeats_are_free
        if campaign.is_random:
            stages = _random_stages(participant, campaign.steps[-1], order_seed)
        else:
            stages = replace(campaign.attack, iterations=campaign.steps[-1]).stages(participant, budget=10**9)
        found = [(*both_losses(problem, stage), _released_loss(participant)) for stage in stages]
        return [found[min(step, len(found) - 1)] for step in campaign.steps]

    return _for_each(campaign.panels, attack)


def _released_loss(participant: LocalParticipant) -> float:
    """The loss on the board; NaN before it shows one."""
    return math.nan if participant.shown is None else participant.briefing.loss(participant.shown)


def _for_each(panels: Sequence[Panel], attack: Callable[["lb.Mechanism"], list[tuple[float, ...]]]) -> FloatArray:
    """The attack on every mechanism. Equal ones, as controls have them, give the same result and run once."""
    found: dict[lb.Mechanism, list[tuple[float, ...]]] = {}
    for panel in panels:
        if panel.mechanism not in found:
            found[panel.mechanism] = attack(panel.mechanism)
    return np.array([found[panel.mechanism] for panel in panels])


def both_losses(problem: Problem, predictions: Array) -> tuple[float, float]:
    """The loss on the public and on the final set. A constant has no correlation with anything: 0."""
    try:
        scores = problem.public_score(predictions), problem.true_score(predictions)
    except (lb.UndefinedMetricError, lb.PredictionsError):
        return 0.0, 0.0
    return problem.briefing.loss(scores[0]), problem.briefing.loss(scores[1])


def open_board(problem: Problem, mechanism: "lb.Mechanism", *, seed: int) -> LocalParticipant:
    """An account on a fresh board that answers repeated submissions anew, as the paper's does."""
    participant = problem.open_board(mechanism, seed=seed, repeats_are_free=False)
    if not isinstance(mechanism, lb.SignificanceLadder):
        return participant
    return ScreenedParticipant(participant.briefing, participant.board, participant.public_items, problem=problem)


@dataclass
class ScreenedParticipant(LocalParticipant):
    """An account on the Ladder that sends in only what can be accepted; the answers are the same.

    Algorithm 3 accepts nothing whose loss is not below the score shown, answers it with that score and remembers
    nothing of it: asking would change nothing, and takes ten times as long.
    """

    problem: Problem | None = None
    _last: "lb.Release | None" = None

    def submit(self, predictions: Array, *, training_score: float | None = None) -> "lb.Release":
        assert self.problem is not None
        last = self._last
        if last is not None and last.board_value is not None and self._loss(predictions) > last.board_value + 1e-9:
            self._last = replace(last, accepted=False, improved=False, attempt=last.attempt + 1)
            return self._last
        self._last = super().submit(predictions, training_score=training_score)
        return self._last

    def _loss(self, predictions: Array) -> float:
        assert self.problem is not None
        errors = predictions[self.public_items] - self.problem.labels[self.public_items]
        return float(np.dot(errors, errors) / len(errors))


def _random_stages(participant: LocalParticipant, iterations: int, seed: int) -> Iterator[FloatArray]:
    """The stages of an attacker who draws features and submits only what they make."""
    fits = fits_for(participant.briefing)
    yield fits.predictions
    for feature in np.random.default_rng(seed).permutation(fits.candidates)[:iterations]:
        fits.choose(int(feature))
        participant.submit(fits.predictions)
        yield fits.predictions
