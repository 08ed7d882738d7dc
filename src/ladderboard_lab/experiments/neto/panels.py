"""Neto's panels of the step-forward attack: Fig. 6, its small-sample twin S7, and S12 with something to learn."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ladderboard_lab.experiments.base import Conditions, Outcome, Verdict, experiment
from ladderboard_lab.experiments.neto.boxes import GRID_SIZE, boxes_table, draw_grid
from ladderboard_lab.experiments.neto.setting import (
    ALPHAS,
    PAPER,
    Campaign,
    Panel,
    mse_panels,
    run_campaign,
    setting_for,
)

STAND_IN = {0.01: -0.011, 0.15: -0.076, 0.5: -0.136}
"""Median ΔMSE of the ladder after 1785 submissions on the stand-in."""


@experiment(
    id="neto-fig6",
    title="Ladder and LadderBoot under the step-forward attack, permuted responses",
    paper=PAPER,
    claim="The ladder is overfitted by the step-forward attack, the more the larger α; LadderBoot is less so, and with "
    "b = 10 hardly at all (12 panels: three α, ladder and b = 1000, 100, 10). A simulated stand-in for the ADNI data.",
    takes_data=True,
)
def fig6(conditions: Conditions) -> Outcome:
    """The twelve panels on permuted responses."""
    panels = mse_panels()
    campaign = run_campaign(
        conditions,
        setting_for(conditions, panels),
        repetitions=conditions.choose(full=100, quick=8),
        title="step-forward attacks",
    )
    # The median of 100 repetitions has a standard error of .005, that of 8 quick ones of .017.
    within = conditions.choose(full=0.03, quick=0.05) if conditions.data is None else None
    verdict = _fig6_verdict(panels, campaign, within=within)
    return outcome_of(conditions, panels, campaign, verdict)


@experiment(
    id="neto-s7",
    title="The same twelve panels with 40 public items",
    paper=PAPER,
    claim="The smaller the public part, the more severe the overfit of the ladder (n = 120 split into three).",
)
def s7(conditions: Conditions) -> Outcome:
    """40 items each to train, for the board and private."""
    panels = mse_panels()
    setting = setting_for(conditions, panels, items=120)
    campaign = run_campaign(
        conditions, setting, repetitions=conditions.choose(full=100, quick=6), title="attacks on 40 public items"
    )
    verdict = _orderings(panels, campaign, close=0.12)
    return outcome_of(conditions, panels, campaign, replace(verdict, sentence=f"{verdict.sentence}."))


@experiment(
    id="neto-s12",
    title="The same twelve panels on random splits, with something to learn",
    paper=PAPER,
    claim="On random splits of unpermuted data the ladder lets real progress pass; the noise of a bootstrapped release "
    "hides it from those who climb by jumps alone. (Simulated: three of 300 features explain half of the response.)",
    takes_data=True,
)
def s12(conditions: Conditions) -> Outcome:
    """Random splits of data in which the features explain half of the response."""
    panels = mse_panels()
    setting = setting_for(conditions, panels, signal=0.5, permuted=False)
    campaign = run_campaign(
        conditions, setting, repetitions=conditions.choose(full=100, quick=4), title="attacks with something to learn"
    )
    return outcome_of(conditions, panels, campaign, _s12_verdict(panels, campaign))


def outcome_of(
    conditions: Conditions,
    panels: Sequence[Panel],
    campaign: Campaign,
    verdict: Verdict,
    *,
    label: str = "public − private MSE",
) -> Outcome:
    """The table, the grid of boxes and the verdict of a campaign.

    The boxes of the few repetitions of a quick run leave the luck of the split out; it would hide everything else.
    """
    values, words = (campaign.net, f"{label}, net of luck") if conditions.quick else (campaign.delta, label)
    return Outcome(
        boxes_table(panels, campaign.delta, campaign.net, campaign.submissions),
        lambda figure: draw_grid(figure, panels, values, campaign.submissions, label=words),
        verdict,
        size=GRID_SIZE,
    )


def _fig6_verdict(panels: Sequence[Panel], campaign: Campaign, *, within: float | None) -> Verdict:
    """The orderings, and on the stand-in (``within`` not None) the numbers."""
    order = _orderings(panels, campaign, close=0.02)
    if within is None:
        return replace(order, sentence=f"{order.sentence}.")
    near = all(abs(order.numbers[f"Ladder, α = {alpha:g}"] - number) <= within for alpha, number in STAND_IN.items())
    told = f"(expected on this stand-in, to {within}: {_join(list(STAND_IN.values()))})"
    return Verdict(order.holds and near, f"{order.sentence} {told}.", order.numbers)


def _orderings(panels: Sequence[Panel], campaign: Campaign, *, close: float) -> Verdict:
    """The ladder overfits more the larger α is; LadderBoot with b = 10 hardly overfits at all."""
    net = dict(zip(((panel.alpha, panel.replicates) for panel in panels), campaign.final_net().tolist(), strict=True))
    ladder, noisiest = [net[alpha, None] for alpha in ALPHAS], [net[alpha, 10] for alpha in ALPHAS]
    falls = ladder[0] > ladder[1] > ladder[2]
    helps = all(net[alpha, 10] > max(net[alpha, None] / 2, net[alpha, 1000] - close) for alpha in (0.15, 0.5))
    numbers = {f"{panel.name}, α = {panel.alpha:g}": net[panel.alpha, panel.replicates] for panel in panels}
    sentence = (
        f"After {campaign.submissions[-1]} submissions the median public − private MSE, net of the split's luck, is "
        f"{_join(ladder)} for the ladder with α = .01/.15/.5, {_join(noisiest)} for LadderBoot with b = 10"
    )
    return Verdict(bool(falls and helps and max(np.abs(noisiest)) <= close), sentence, numbers)


def _s12_verdict(panels: Sequence[Panel], campaign: Campaign) -> Verdict:
    medians = np.median(campaign.losses[:, :, -1, 1], axis=0).tolist()
    private = dict(zip(((panel.alpha, panel.replicates) for panel in panels), medians, strict=True))
    worst, noisy = max(private[alpha, None] for alpha in ALPHAS), private[0.5, 10]
    sentence = (
        "Where features explain half of the variance, who follows the ladder's jumps learns it: the private MSE is "
        f"{worst:.2f} or less for each α. Noise has its price: at α = .5 and b = 10 it stays at {noisy:.2f}."
    )
    numbers = {f"{panel.name}, α = {panel.alpha:g}": value for panel, value in zip(panels, medians, strict=True)}
    return Verdict(worst < 0.7 and noisy > private[0.5, None], sentence, numbers)


def _join(values: Sequence[float]) -> str:
    return "/".join(f"{value:.3f}" for value in values)
