"""The Multiplicity paper's Figure 6: public against private scores of a competition with thousands of submissions."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import (
    Cell,
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    check_claim,
    experiment,
)
from ladderboard_lab.experiments.deciding import usually
from ladderboard_lab.experiments.drawing import BLUE, MUTED
from ladderboard_lab.experiments.estimates import mean_of
from ladderboard_lab.experiments.multiplicity.setting import PAPER
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PUBLIC, PRIVATE = (58, 3237), (136, 7551)
"""Melanomas and other images of the 3,295 public and 7,687 private test images, at the training set's 1.77 %."""
TEAMS = 3300
ATTEMPTS = 30
"""Submissions of a typical team; the paper does not say how many there were."""
ONE_ATTEMPT = "one submission for each team, without any choice"


@experiment(
    id="multiplicity-fig6",
    title="Public and private scores of a competition",
    paper=PAPER,
    claim="In the SIIM-ISIC Melanoma Classification competition there is a strong general tendency of overfitting: "
    "most teams' scores are better on the public than on the private leaderboard.",
    stand_in="simulated teams that submit up to 60 variants and show their best public AUC; the competition's scores "
    "are not part of the published material",
    controls=(ONE_ATTEMPT,),
)
def multiplicity_fig6(conditions: Conditions) -> ExperimentResult:
    """Each team's best public AUC, and the private AUC of the same submission."""
    teams = conditions.choose(full=TEAMS, quick=240)
    tasks = [_Team(1 if conditions.control == ONE_ATTEMPT else None)] * teams
    scores = np.array(conditions.run(play_team, tasks, title="teams"))
    falls = scores[:, 0] - scores[:, 1]
    share, drop = float(np.mean(falls > 0)), float(falls.mean())
    checks = (check_claim("most teams score better in public than in private", usually(falls > 0)),)
    sentence = (
        f"Of {teams} simulated teams {share:.0%} score better on 3,295 public images than on 7,687 private ones; the "
        f"AUC falls by {drop:.4f} on average, although nobody learnt from the public labels but by choosing the best "
        f"of their own variants."
    )
    rows: list[tuple[Cell, ...]] = [(team + 1, float(a), float(b)) for team, (a, b) in enumerate(scores)]
    verdict = Verdict(checks, sentence, {"share above the line": mean_of(falls > 0), "mean drop": mean_of(falls)})
    return ExperimentResult(
        ResultTable(("team", "public_auc", "private_auc"), rows), partial(_draw, scores=scores), verdict, (5.0, 4.6)
    )


@dataclass(frozen=True)
class _Team:
    """A team with that many submissions; None: up to twice the typical number, drawn."""

    attempts: int | None


def play_team(task: _Team, seed: np.random.SeedSequence) -> tuple[float, float]:
    """Public and private AUC of the submission that a team shows."""
    rng = np.random.default_rng(seed)
    attempts = int(rng.integers(1, 2 * ATTEMPTS)) if task.attempts is None else task.attempts
    quality = rng.uniform(1.6, 2.3)  # AUC of .87 to .95
    # Variants of a team share most of their scores: .9 of the variance.
    scores = [np.sqrt(0.9) * rng.standard_normal(size) for size in (*PUBLIC, *PRIVATE)]
    found = [_auc_pair(scores, quality, rng) for _ in range(attempts)]
    return max(found)


def _auc_pair(shared: list[FloatArray], quality: float, rng: np.random.Generator) -> tuple[float, float]:
    own = [part + np.sqrt(0.1) * rng.standard_normal(len(part)) for part in shared]
    return _auc(own[0] + quality, own[1]), _auc(own[2] + quality, own[3])


def _auc(cases: FloatArray, others: FloatArray) -> float:
    """The share of pairs in order; normal scores do not tie."""
    below = np.searchsorted(np.sort(others), cases)
    return float(below.mean() / len(others))


def _draw(figure: "Figure", *, scores: FloatArray) -> None:
    axes = figure.subplots()
    axes.plot(scores[:, 0], scores[:, 1], "o", color=BLUE, markersize=2, alpha=0.4)
    ends = [float(scores.min()), float(scores.max())]
    axes.plot(ends, ends, "--", color=MUTED, linewidth=1.2)
    axes.set(xlabel="public AUC", ylabel="private AUC")
