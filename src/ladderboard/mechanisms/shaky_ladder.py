"""The Shaky Ladder: the Ladder as a sparse vector, with Laplace noise (Hardt 2017)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import Budget, Evaluation, State, Yardstick
from ladderboard.mechanisms.base import Family, Hurdle, Mechanism, Ruling, Variants
from ladderboard.mechanisms.laplace import (
    check_positive,
    find_loss_width,
    is_repetition,
    laplace,
    noisy_score,
    noisy_values,
)
from ladderboard.mechanisms.participant_words import LOSS_WIDTH, NEW_NOISE, ParticipantWords


@dataclass(frozen=True)
class ShakyLadder(Mechanism):
    """Compare and release with Laplace noise, and stop after a fixed number of updates.

    Accept iff R_S(f_t) + ξ < R_{t-1} − η + ξ'; then R_t = R_S(f_t) + ξ'', else R_t = R_{t-1}; all noise is Lap(b). R_0
    is the worst loss there is. After ⌈width/η⌉ updates the holdout is spent.

    >>> from ladderboard.guard.leaderboard import Leaderboard
    >>> board = Leaderboard([0, 1] * 500, mechanism=ShakyLadder(), seed=1)
    >>> board.submit("us", [0] * 1000).value
    0.49239
    >>> board.submit("us", [0, 1] * 20 + [0] * 960).value      # .48: a gain below the step of 1000^(−2/5) = .063
    0.49239

    Parameters
    ----------
    step_size
        η > 0. Default: n^(−2/5) times the width of the losses.
    noise
        b > 0, the scale of the noise. Default: η/(2·ln k).
    submissions
        k ≥ 2, the number of submissions the default noise is made for.
    loss_width
        How far apart the losses of two items can be; needed where the metric is not bounded, and the guarantee then
        holds only if it is true.
    redraw
        True: fresh noise for every query, ξ' too, and the incumbent sent in again is judged anew. False: ξ' is drawn
        once for each update and kept in ``State.memory["threshold_noise"]``, as in the sparse vector, and the incumbent
        sent in again gets the stored number. ``State.memory["updates"]`` is the number of updates allowed.

    Notation
    --------
    η → ``step_size``; b → ``noise``; R_t → ``Release.value``; R_S(f_t) → ``Evaluation.loss``; n → ``Yardstick.units``.

    Guarantee
    ---------
    The published rate is a leaderboard error of O(n^(−2/5)), with factors logarithmic in k and n, for i.i.d. items and
    losses in [0, 1]. Of our constants: k submissions that are no better than the incumbent see even one update with
    probability at most (½ + ⅝·ln k + ¼·ln² k)/k (while no release is cut off); without ``redraw`` one update is
    (4·width/(n·b))-differentially private, all of them together O(ln k·n^(−2/5)) at a fixed δ, which gives that rate.
    For metrics that are not a mean of losses it is a heuristic.

    Departures
    ----------
    The constants are derived from the published rate, not taken from the paper, whose pseudocode we could not consult:
    docs/decisions/shaky-ladder-constants.md has the derivation. Releases are cut off at the metric's bounds and shown
    without the digits below the noise. The board may worsen by its noise.

    Reference
    ---------
    Hardt 2017, Climbing a shaky ladder: Better adaptive risk estimation (arXiv 1706.02733); the sparse vector as in
    Dwork & Roth 2014, The algorithmic foundations of differential privacy, section 3.6.
    """

    name: ClassVar[str] = "shaky_ladder"
    label: ClassVar[str] = "shaky"
    family: ClassVar[Family] = "noise"
    promise: ClassVar[str] = "shows gains with noise; proven error of order n^(−2/5) (losses in [0, 1])"
    shows_scores: ClassVar[bool] = True
    has_gate: ClassVar[bool] = True
    tells_every_attempt: ClassVar[bool] = False
    may_fall: ClassVar[bool] = True
    corrects_for_attempts: ClassVar[bool] = False
    starts_from_baseline: ClassVar[bool] = False
    has_intervals: ClassVar[bool] = False
    releases_standard_error: ClassVar[bool] = False
    is_noisy: ClassVar[bool] = True
    has_budget: ClassVar[bool] = True
    needs_training_score: ClassVar[bool] = False
    satisfies_theorem_3_1: ClassVar[bool] = False
    is_compared: ClassVar[bool] = False
    variants: ClassVar[Variants] = {"shaky": lambda board: {"submissions": max(board.submissions, 2)}}
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="Shaky Ladder",
        lead="Noise is added to every comparison and to every score, and the number of updates is limited.",
        steps=(
            (
                "Noise is added to the comparison of your submission with the score shown, so nobody can read it "
                "exactly."
            ),
            "If the noisy gain is larger than a step, the score shown becomes your score plus fresh noise.",
            "Otherwise the score shown stays the same.",
            (
                "After as many updates as there are steps between the worst and the best possible score, you get "
                "no new scores."
            ),
        ),
        guarantee=(
            (
                "For means of bounded losses over n rows, the error of the board is of the order n to the power "
                "−2/5, better than the Ladder's."
            ),
        ),
        limits=(
            (
                "Gains smaller than the step do not show, and the score shown may be better or worse than the "
                "actual score."
            ),
            "The updates can run out.",
        ),
        reading=("The score shown is yours plus some noise, drawn once when the submission was recognised.",),
        source="Hardt 2017, Climbing a shaky ladder: Better adaptive risk estimation.",
        parameters={
            "step_size": "by how much a file must be better to be recognised, before noise",
            "noise": "the scale of the noise on comparisons and scores",
            "submissions": "the number of submissions the noise is chosen for, where it is not given",
            "loss_width": LOSS_WIDTH,
            "redraw": NEW_NOISE,
        },
    )

    step_size: float | None = None
    noise: float | None = None
    submissions: int = 1000
    loss_width: float | None = None
    redraw: bool = False

    def __post_init__(self) -> None:
        check_positive(step_size=self.step_size, noise=self.noise, loss_width=self.loss_width)
        if self.submissions < 2:
            raise ParameterError(f"submissions is {self.submissions}; it must be at least 2")

    def start(self, baseline: Evaluation, setup_rng: np.random.Generator) -> State:
        yardstick = baseline.yardstick
        threshold_noise = laplace(setup_rng, self.noise_for(yardstick))
        state = super().start(baseline, setup_rng)
        return state.with_memory(updates=self.updates_for(yardstick), threshold_noise=threshold_noise)

    def step_for(self, yardstick: Yardstick) -> float:
        """η for this holdout."""
        width = find_loss_width(yardstick, self.loss_width)
        return self.step_size if self.step_size is not None else float(yardstick.units**-0.4) * width

    def noise_for(self, yardstick: Yardstick) -> float:
        """b for this holdout."""
        return self.noise if self.noise is not None else self.step_for(yardstick) / (2 * math.log(self.submissions))

    def updates_for(self, yardstick: Yardstick) -> int:
        """⌈width/η⌉: as many steps as fit between the worst loss and the best."""
        return math.ceil(find_loss_width(yardstick, self.loss_width) / self.step_for(yardstick))

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        if not self.redraw and state.released is not None and is_repetition(candidate, incumbent):
            return self.repeat_number(state)
        yardstick = candidate.yardstick
        scale = self.noise_for(yardstick)
        threshold_noise = laplace(rng, scale) if self.redraw else state.memory["threshold_noise"]
        threshold = _best_loss(state, yardstick) - self.step_for(yardstick) + threshold_noise
        if not candidate.loss + laplace(rng, scale) < threshold:
            return self.repeat_number(state)
        value = noisy_score(candidate, scale, rng)
        return Ruling(True, True, value, value, memory={"threshold_noise": laplace(rng, scale)})

    def values_per_release(self, yardstick: Yardstick) -> float:
        return noisy_values(yardstick, self.noise_for(yardstick))

    def hurdle(self, state: State, yardstick: Yardstick, standard_error: float) -> Hurdle:
        # The difference of two Laplace variables of scale b has the variance 4b².
        return Hurdle(share=1.0, fixed=self.step_for(yardstick), noise=2 * self.noise_for(yardstick))

    def is_spent(self, state: State) -> bool:
        return state.accepts >= state.memory["updates"]

    def tell_budget(self, state: State) -> Budget:
        # Every update is a release that says `accepted`, so a team can count them. Their number ⌈width/η⌉ follows from
        # the published parameters and n, which is in the interval of any release; it depends on no label.
        return Budget(int(state.memory["updates"]), used=state.accepts, is_spent=self.is_spent(state))


def _best_loss(state: State, yardstick: Yardstick) -> float:
    """R_{t-1} as a loss; before the first update the worst loss there is."""
    if state.released is not None:
        return yardstick.loss(state.released)
    return max(yardstick.loss(end) for end in yardstick.bounds)
