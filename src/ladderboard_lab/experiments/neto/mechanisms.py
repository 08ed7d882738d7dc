"""The mechanisms that Neto et al. compare, and what a negative control puts in their place."""

from dataclasses import dataclass

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions

PAPER = "Neto"
ALPHAS = (0.01, 0.15, 0.5)
REPLICATES = (1000, 100, 10)

NOT_ON_STAND_IN = "not reproduced on our stand-in"
SMALL_DIFFERENCE = "a small difference, which needs full size"
"""Why a check does not count for the verdict."""

NO_LADDER = "full disclosure instead of every mechanism"
DISCLOSED_AND_PERMUTED = f"{NO_LADDER}, and permuted responses"
NO_NOISE = "the Ladder instead of LadderBoot"
NOT_PERMUTED = "responses that are not permuted"
OTHER_ALPHA = "α = .5 in place of every α"
RANDOM_FEATURES = "an attacker who draws features at random"
STAND_IN = (
    "628 simulated items with 2,150 correlated features for the ADNI data, drawn anew for every repetition; `--data` "
    "takes a file of yours"
)


@dataclass(frozen=True)
class Panel:
    """One mechanism of a grid. ``alpha`` is None for full disclosure, ``replicates`` b, None without a bootstrap.

    ``odds``: the posterior odds that take the place of α in Algorithms 5 and 6.
    """

    alpha: float | None
    replicates: int | None
    mechanism: "lb.Mechanism"
    odds: float | None = None

    @property
    def name(self) -> str:
        if self.alpha is None:
            return "full disclosure"
        family = "Ladder" if self.odds is None else "BayesBootLadder"
        return family if self.replicates is None else f"{family}Boot, b = {self.replicates}"

    @property
    def title(self) -> str:
        """The name with the level, or the odds."""
        return f"{self.name}, {self.level}" if self.level else self.name

    @property
    def level(self) -> str:
        """The level or the odds, in words; empty for full disclosure."""
        if self.odds is not None:
            return f"odds of {self.odds:.3g}"
        return "" if self.alpha is None else f"α = {self.alpha:g}"


DISCLOSED = Panel(None, None, lb.FullDisclosure(precision=1e-9))


def ladder_panel(alpha: float, conditions: Conditions) -> Panel:
    """Algorithm 3 at that level."""
    given = lb.SignificanceLadder(0.5 if conditions.control == OTHER_ALPHA else alpha)
    return Panel(alpha, None, DISCLOSED.mechanism if _discloses(conditions) else given)


def boot_panel(alpha: float, b: int, conditions: Conditions) -> Panel:
    """Algorithm 4: fresh noise on every query, as in the paper."""
    level = 0.5 if conditions.control == OTHER_ALPHA else alpha
    given = lb.SignificanceLadder(level) if conditions.control == NO_NOISE else lb.LadderBoot(level, b, redraw=True)
    return Panel(alpha, b, DISCLOSED.mechanism if _discloses(conditions) else given)


def grid_panels(conditions: Conditions) -> list[Panel]:
    """The Ladder and LadderBoot with three b, for three levels: 12 panels, one level after the other."""
    return [
        panel
        for alpha in ALPHAS
        for panel in (ladder_panel(alpha, conditions), *(boot_panel(alpha, b, conditions) for b in REPLICATES))
    ]


def bayes_panels(gate_replicates: int, conditions: Conditions) -> list[Panel]:
    """The same grid with the Bayesian bootstrap as the gate (Algorithms 5 and 6): odds of (1 − α)/α, for any metric."""
    panels = []
    for alpha in ALPHAS:
        odds = (1 - alpha) / alpha
        plain = lb.BayesBootLadder(odds, gate_replicates)
        noisy = [lb.BayesBootLadderBoot(odds, gate_replicates, b, redraw=True) for b in REPLICATES]
        given: list[lb.Mechanism] = [plain, *noisy]
        if _discloses(conditions):
            given = [DISCLOSED.mechanism] * 4
        panels += [Panel(alpha, b, one, odds) for b, one in zip((None, *REPLICATES), given, strict=True)]
    return panels


def _discloses(conditions: Conditions) -> bool:
    return conditions.control in (NO_LADDER, DISCLOSED_AND_PERMUTED)
