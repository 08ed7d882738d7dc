"""Any metric in Neto et al.: concordance correlation with the Bayesian-bootstrap ladders (S8, S9); the gates (S10)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import Cell, Conditions, Outcome, Table, Verdict, experiment
from ladderboard_lab.experiments.neto.panels import outcome_of
from ladderboard_lab.experiments.neto.setting import (
    ALPHAS,
    PAPER,
    PUBLIC,
    Campaign,
    Panel,
    ccc_panels,
    run_campaign,
    setting_for,
)
from ladderboard_lab.experiments.writing import COLOURS
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@experiment(
    id="neto-s8",
    title="Concordance correlation: the Bayesian-bootstrap ladders, permuted responses",
    paper=PAPER,
    claim="The Bayesian bootstrap extends the ladder to any metric, and LadderBoot's protection with it.",
    takes_data=True,
)
def s8(conditions: Conditions) -> Outcome:
    """The step-forward attack on the Bayesian-bootstrap ladders, permuted responses."""
    panels, campaign = _ccc_campaign(conditions, permuted=True)
    flattery = _flattery(panels, campaign)
    ladder = [flattery[alpha, None] for alpha in ALPHAS]
    noisy = [flattery[alpha, 10] for alpha in ALPHAS]
    verdict = Verdict(
        ladder[2] < ladder[0] and ladder[2] < -0.02 and noisy[2] > 0.6 * ladder[2] and noisy[1] > ladder[1] - 0.01,
        f"Private minus public concordance of the attacker's last regression: {_join(ladder)} against the Bayesian "
        f"bootstrap ladder for α = .01/.15/.5, {_join(noisy)} with a release of b = 10 replicates.",
        {f"{panel.name}, α = {panel.alpha:g}": flattery[panel.alpha, panel.replicates] for panel in panels},
    )
    return outcome_of(conditions, panels, campaign, verdict, label="private − public concordance correlation")


@experiment(
    id="neto-s9",
    title="Concordance correlation: the Bayesian-bootstrap ladders, random splits",
    paper=PAPER,
    claim="On random splits of unpermuted data the Bayesian-bootstrap ladders let real progress pass. (Simulated: "
    "three of 300 features explain half of the response.)",
    takes_data=True,
)
def s9(conditions: Conditions) -> Outcome:
    """The same with features that explain half of the response."""
    panels, campaign = _ccc_campaign(conditions, permuted=False)
    medians = np.median(-campaign.losses[:, :, -1, 1], axis=0).tolist()
    learnt = dict(zip(((panel.alpha, panel.replicates) for panel in panels), medians, strict=True))
    least, noisy = min(learnt[alpha, None] for alpha in ALPHAS), learnt[0.5, 10]
    verdict = Verdict(
        least > 0.5 and noisy < learnt[0.5, None],
        "Where features explain half of the variance, who follows the ladder's jumps learns it: the private "
        f"concordance is {least:.2f} or more for each α. At α = .5 and b = 10 it is {noisy:.2f}.",
        {f"{panel.name}, α = {panel.alpha:g}": value for panel, value in zip(panels, medians, strict=True)},
    )
    return outcome_of(conditions, panels, campaign, verdict, label="private − public concordance correlation")


def _ccc_campaign(conditions: Conditions, *, permuted: bool) -> tuple[list[Panel], Campaign]:
    """A thousand replicates for each decision in full; a fifth of them, and fewer features, when quick."""
    panels = ccc_panels(conditions.choose(full=1000, quick=200))
    setting = setting_for(conditions, panels, metric="ccc", permuted=permuted, signal=0.0 if permuted else 0.5)
    if conditions.quick:
        setting = replace(setting, features=min(setting.features, 60), iterations=3)
        if setting.data is not None:
            setting = replace(setting, data=setting.data.first(setting.features))
    repetitions = conditions.choose(full=20, quick=4)
    return panels, run_campaign(conditions, setting, repetitions=repetitions, title="Bayesian bootstrap ladders")


def _flattery(panels: Sequence[Panel], campaign: Campaign) -> dict[tuple[float, int | None], float]:
    """Medians of private minus public concordance: a loss is its negative."""
    medians = np.median(campaign.delta[:, :, -1], axis=0).tolist()
    return dict(zip(((panel.alpha, panel.replicates) for panel in panels), medians, strict=True))


def _join(values: Sequence[float]) -> str:
    return "/".join(f"{value:.3f}" for value in values)


@dataclass(frozen=True, eq=False)
class GatePairs:
    """Pairs of submissions whose difference is somewhere between nothing and clear."""

    pairs: int
    gate_replicates: int


def judge_pairs(task: GatePairs, seed: np.random.SeedSequence) -> FloatArray:
    """Pairs × (paired t, then accepted by the t gate and by the Bayesian one for each α)."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(task.pairs):
        y, first = rng.standard_normal(PUBLIC), 0.3 * rng.standard_normal(PUBLIC)
        second = first + rng.uniform(-0.02, 0.12) * (y - first) + 0.2 * rng.standard_normal(PUBLIC)
        d = np.square(y - first) - np.square(y - second)
        t = d.mean() / (d.std(ddof=1) / np.sqrt(PUBLIC))
        rows.append([t, *_decisions(y, first, second, task.gate_replicates, int(rng.integers(2**62)))])
    return np.array(rows)


def _decisions(y: FloatArray, first: FloatArray, second: FloatArray, replicates: int, seed: int) -> list[bool]:
    gates = [
        gate
        for alpha in ALPHAS
        for gate in (lb.LadderBoot(alpha, 1), lb.BayesBootLadder((1 - alpha) / alpha, replicates))
    ]
    accepted = []
    for gate in gates:
        board = lb.Leaderboard(y, "mse", gate, seed=seed)
        board.submit("team", first)
        accepted.append(board.submit("team", second).accepted)
    return accepted


@experiment(
    id="neto-s10",
    title="The t test and the Bayesian bootstrap decide alike",
    paper=PAPER,
    claim="For a mean of losses the Bayesian bootstrap's odds of (1 − α)/α stand for the paired test at level α.",
)
def s10(conditions: Conditions) -> Outcome:
    """Both gates on the same pairs of submissions."""
    task = GatePairs(50, conditions.choose(full=1000, quick=400))
    found = np.concatenate(
        conditions.run(judge_pairs, [task] * conditions.choose(full=40, quick=8), title="pairs before both gates")
    )
    t, decisions = found[:, 0], found[:, 1:].reshape(len(found), len(ALPHAS), 2)
    agree = (decisions[..., 0] == decisions[..., 1]).mean(axis=0).tolist()
    verdict = Verdict(
        min(agree) >= 0.94,
        f"On {len(found)} pairs of submissions the t gate at α and the Bayesian bootstrap at odds (1 − α)/α decide "
        f"alike in {agree[0]:.1%}/{agree[1]:.1%}/{agree[2]:.1%} for α = .01/.15/.5.",
        {f"α = {alpha:g}": value for alpha, value in zip(ALPHAS, agree, strict=True)},
    )

    def draw(figure: "Figure") -> None:
        edges = np.quantile(t, np.linspace(0, 1, 17))
        place = np.clip(np.searchsorted(edges, t, side="right") - 1, 0, 15)
        middle = [t[place == cell].mean() for cell in range(16)]
        for axes, alpha, index in zip(figure.subplots(1, 3, sharey=True), ALPHAS, range(3), strict=True):
            for gate, (name, line) in enumerate((("t test", "-"), ("Bayesian bootstrap", "--"))):
                share = [decisions[place == cell, index, gate].mean() for cell in range(16)]
                axes.plot(middle, share, color=COLOURS[gate], linestyle=line, marker="o", markersize=3, label=name)
            axes.set_title(f"α = {alpha:g}")
            axes.set_xlabel("paired t of the improvement")
        figure.axes[0].set_ylabel("share accepted")
        figure.axes[0].legend()

    rows: list[tuple[Cell, ...]] = [
        (alpha, len(found), *decisions[:, index].mean(axis=0).tolist(), agree[index])
        for index, alpha in enumerate(ALPHAS)
    ]
    columns = ("alpha", "pairs", "accepted_by_t", "accepted_by_bayesian_bootstrap", "agreement")
    return Outcome(Table(columns, rows), draw, verdict, size=(8.5, 3.2))
