"""The step-forward Freedman attack: a regression grown by the feature at the last jump of the releases."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.attacks.freedman import fits_for, needs_regression
from ladderboard_lab.change_points import find_jumps, find_penalised_starts, find_segment_starts, noise_penalty
from ladderboard_lab.participant import Array, Briefing, FloatArray, Participant


@dataclass(frozen=True)
class StepForward(Attack):
    """In each iteration submit the current regression plus each feature not in it; keep the one at the last jump.

    Metric: any that takes numbers. Breaks: ladders, when the public part is small: a release that is only told when it
    improves still says which submission improved it last. Released score ≈ .3–.4 of the variance with 40 public items,
    1000 features and 10 iterations, on responses that are pure noise.

    Parameters
    ----------
    iterations
        How many features to add; None: as many as the budget allows.
    reads
        ``"numbers"``: the paper's attacker. Where the number on the board changes only when a submission is accepted
        its last change is the jump; where it carries fresh noise the jump is the last of the change points of a binary
        segmentation with the true number of jumps, which is given. ``"penalised"``: the same with *at most* that many
        jumps, each worth 2σ²·ln N; the paper's attacker puts the last of a fixed number into the noise. ``"pelt"``:
        the best segmentation at that price, no number given. ``"accepts"``: the attacker trusts the word "accepted" of
        the release, and no noise on the number hides the jump.
    repeats
        How often each regression is submitted; the answers are averaged (the paper's discussion).

    Departures
    ----------
    Algorithm 7 is followed without its line 5, a left-over. In an iteration without a jump no feature is added, and the
    next one asks again: fresh noise may answer otherwise. Without a number of ``iterations`` the attack ends there.

    Reference: Neto et al. 2016, Reducing overfitting in challenge-based competitions, Algorithm 7 (arXiv 1607.00091).
    """

    name: ClassVar[str] = "step_forward"
    heading: ClassVar[str] = "step forward"
    iterations: int | None = None
    reads: Literal["numbers", "penalised", "pelt", "accepts"] = "numbers"
    repeats: int = 1

    @classmethod
    def settings(cls) -> tuple["StepForward", ...]:
        return (cls(), cls(reads="penalised"), cls(reads="pelt"), cls(reads="penalised", repeats=4))

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_regression(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        *_, last = self.stages(participant, budget=budget)
        return last

    def stages(self, participant: Participant, *, budget: int) -> Iterator[FloatArray]:
        """The predictions of the regression before the first iteration and after each one."""
        fits, left, shown = fits_for(participant.briefing), budget, None
        yield fits.predictions
        for _ in itertools.count() if self.iterations is None else range(self.iterations):
            if left <= 0 or not len(fits.candidates) or not fits.room:
                return
            repeats = min(self.repeats, left)
            tried = fits.predictions_with_each()[: left // repeats]
            answers = [[participant.submit(each) for _ in range(repeats)] for each in tried]
            left -= len(tried) * repeats
            jump = self._last_jump(answers, shown)
            if jump is None and self.iterations is None:
                return
            shown = answers[-1][-1].board_value
            if jump is not None:
                fits.choose(int(fits.candidates[jump]))
            yield fits.predictions

    def _last_jump(self, answers: list[list["lb.Release"]], shown: float | None) -> int | None:
        accepts = [index for index, each in enumerate(answers) if any(release.accepted for release in each)]
        if not accepts or self.reads == "accepts":
            return accepts[-1] if accepts else None
        numbers = [_mean_shown(each) for each in answers]
        # A number that stood on the board before anything was accepted is the baseline's.
        changed = find_jumps(numbers, before=shown if accepts[0] == 0 or shown is not None else numbers[0])
        if len(changed) <= len(accepts):
            return changed[-1] if changed else None
        return self._last_segment(np.array(numbers, dtype=float), jumps=len(accepts), is_first=shown is None)

    def _last_segment(self, numbers: FloatArray, *, jumps: int, is_first: bool) -> int | None:
        """The start of the last segment. The very first submission is accepted and starts one, whatever comes after."""
        within = jumps - 1 if is_first else jumps
        if self.reads == "pelt":
            starts = find_penalised_starts(numbers, penalty=noise_penalty(numbers))
        else:
            penalty = noise_penalty(numbers) if self.reads == "penalised" else 0.0
            starts = find_segment_starts(numbers, jumps=within, penalty=penalty)
        if starts:
            return starts[-1]
        return 0 if is_first or self.reads == "numbers" else None


def _mean_shown(releases: list["lb.Release"]) -> float | None:
    """The mean of what the board showed; None before it shows anything."""
    shown = [release.board_value for release in releases if release.board_value is not None]
    if len(shown) < 2:
        return shown[0] if shown else None
    return float(np.mean(shown))
