"""The step-forward attack on 120 items in Neto et al.: Fig. 3, Fig. 5, and S5's three ways to spend 120 submissions."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import Cell, Conditions, Outcome, Table, Verdict, experiment
from ladderboard_lab.experiments.neto.boxes import draw_boxes
from ladderboard_lab.experiments.neto.setting import (
    PAPER,
    Campaign,
    Panel,
    Setting,
    boot_panel,
    ladder_panel,
    run_campaign,
)
from ladderboard_lab.experiments.writing import COLOURS, INK
from ladderboard_lab.planning.step_forward_runs import count_submissions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WAYS = ((3, 41), (5, 26), (15, 15))
"""Iterations and features that make 120 submissions: 41+40+39, 26+25+24+23+22, 15+14+…+1."""


def small_setting(*panels: Panel) -> Setting:
    """40 items each to train, for the board and private; 1000 features without correlation, ten iterations."""
    mechanisms = tuple(panel.mechanism for panel in panels)
    return Setting(mechanisms, items=120, features=1000, iterations=10, correlation=0.0)


@experiment(
    id="neto-fig3",
    title="The step-forward attack breaks the ladder when data is scant",
    paper=PAPER,
    claim="Ladder with α = .15, n = 120, p = 1000, ten iterations: the public MSE falls to .3–.4, the final one is "
    "about 1, that is, nothing was learnt.",
)
def fig3(conditions: Conditions) -> Outcome:
    """The attack on the ladder: public and private loss by number of submissions."""
    repetitions = conditions.choose(full=100, quick=5)
    campaign = run_campaign(
        conditions, small_setting(ladder_panel(0.15)), repetitions=repetitions, title="ten iterations, 1000 features"
    )
    public, private = np.median(campaign.losses[:, 0, -1, :2], axis=0).tolist()
    verdict = Verdict(
        0.25 <= public <= 0.45 and private >= 0.9,
        f"After {campaign.submissions[-1]} submissions the ladder (α = .15) shows an MSE of {public:.2f} where nothing "
        f"can be learnt; on the private part it is {private:.2f}, no better than the 1 of a constant (the rest is what "
        "fitting ten useless coefficients on 40 items costs).",
        {"public MSE": public, "private MSE": private},
    )

    def draw(figure: "Figure") -> None:
        for axes, part, title in zip(figure.subplots(1, 2, sharey=True), (0, 1), ("public", "private"), strict=True):
            draw_boxes(axes, campaign.losses[:, 0, :, part], campaign.submissions, COLOURS[part])
            axes.axhline(1, color=INK, linewidth=0.8, linestyle="--", alpha=0.6)
            axes.set_title(f"{title} MSE")
            axes.set_xlabel("number of submissions")

    return Outcome(_losses_table([ladder_panel(0.15)], campaign), draw, verdict, size=(8.0, 3.8))


@experiment(
    id="neto-fig5",
    title="LadderBoot withstands it",
    paper=PAPER,
    claim="With a bootstrapped release the same attack hardly gains anything, the less the fewer replicates b.",
)
def fig5(conditions: Conditions) -> Outcome:
    """The same attack on the ladder and on LadderBoot."""
    panels = [ladder_panel(0.15), boot_panel(0.15, 1000), boot_panel(0.15, 100), boot_panel(0.15, 10)]
    setting = small_setting(*panels)
    if conditions.quick:
        setting = replace(setting, features=300, iterations=6)
    campaign = run_campaign(
        conditions, setting, repetitions=conditions.choose(full=100, quick=10), title="Ladder and LadderBoot"
    )
    medians = np.median(campaign.losses[:, :, -1, :2], axis=0)
    gaps = (medians[:, 1] - medians[:, 0]).tolist()
    verdict = Verdict(
        gaps[3] < 0.4 * gaps[0] and gaps[3] < gaps[1],
        f"Private minus public MSE of the attacker's last regression: {gaps[0]:.2f} against the ladder, "
        f"{gaps[1]:.2f}/{gaps[2]:.2f}/{gaps[3]:.2f} against LadderBoot with b = 1000/100/10.",
        {panel.name: gap for panel, gap in zip(panels, gaps, strict=True)},
    )

    def draw(figure: "Figure") -> None:
        for axes, index in zip(figure.subplots(1, 4, sharey=True), range(4), strict=True):
            for part, name in enumerate(("public", "private")):
                low, middle, high = np.percentile(campaign.losses[:, index, :, part], (25, 50, 75), axis=0)
                axes.fill_between(campaign.submissions, low, high, color=COLOURS[part], alpha=0.2, linewidth=0)
                axes.plot(campaign.submissions, middle, color=COLOURS[part], label=name)
            axes.set_title(panels[index].name)
            axes.axhline(1, color=INK, linewidth=0.8, linestyle="--", alpha=0.6)
            axes.set_ylim(bottom=0)
        figure.axes[0].set_ylabel("MSE")
        figure.axes[0].legend()
        figure.supxlabel("number of submissions", size=9, color=INK)

    return Outcome(_losses_table(panels, campaign), draw, verdict, size=(9.0, 3.4))


@experiment(
    id="neto-s5",
    title="Three ways to spend 120 submissions",
    paper=PAPER,
    claim="120 submissions are three iterations over 41 features, five over 26 or fifteen over 15; each of them "
    "overfits the ladder.",
)
def s5(conditions: Conditions) -> Outcome:
    """As many submissions, spent in three ways."""
    panels = [ladder_panel(0.15), boot_panel(0.15, 10)]
    counts = [count_submissions(iterations=iterations, features=features) for iterations, features in WAYS]
    campaigns = [
        run_campaign(
            conditions,
            replace(small_setting(*panels), iterations=iterations, features=features),
            repetitions=conditions.choose(full=200, quick=80),
            title=f"{iterations} iterations over {features} features",
        )
        for iterations, features in WAYS
    ]
    finals = [np.median(campaign.net[:, :, -1], axis=0).tolist() for campaign in campaigns]

    def draw(figure: "Figure") -> None:
        labels = [f"{iterations} × {features}" for iterations, features in WAYS]
        for column, (axes, panel) in enumerate(zip(figure.subplots(1, 2, sharey=True), panels, strict=True)):
            values = np.column_stack([campaign.net[:, column, -1] for campaign in campaigns])
            draw_boxes(axes, values, counts, COLOURS[column])
            axes.set_xticks(range(1, 4), labels)
            axes.set_title(panel.name)
            axes.set_xlabel("iterations × features")
        figure.axes[0].set_ylabel("public − private MSE, net of luck")

    rows: list[tuple[Cell, ...]] = [
        (iterations, features, count, panel.name, final[column], len(campaign.net))
        for (iterations, features), count, final, campaign in zip(WAYS, counts, finals, campaigns, strict=True)
        for column, panel in enumerate(panels)
    ]
    columns = ("iterations", "features", "submissions", "mechanism", "median_net_of_luck", "repetitions")
    return Outcome(Table(columns, rows), draw, _s5_verdict(counts, finals), size=(7.0, 3.8))


def _s5_verdict(counts: list[int], finals: list[list[float]]) -> Verdict:
    gain = sum(boot - ladder for ladder, boot in finals)
    return Verdict(
        counts == [120, 120, 120] and all(ladder < 0 for ladder, _ in finals) and gain > 0.05,
        "120 submissions each: median flattery of the ladder "
        + ", ".join(f"{-final[0]:.2f} with {way[0]}×{way[1]}" for way, final in zip(WAYS, finals, strict=True))
        + "; of LadderBoot with b = 10 "
        + ", ".join(f"{-final[1]:.2f}" for final in finals)
        + ".",
        {f"submissions {i}×{p}": float(count) for (i, p), count in zip(WAYS, counts, strict=True)},
    )


def _losses_table(panels: list[Panel], campaign: Campaign) -> Table:
    medians = np.median(campaign.losses, axis=0)
    rows: list[tuple[Cell, ...]] = [
        (panel.alpha, panel.name, count, *(float(value) for value in medians[index, step, :2]), len(campaign.losses))
        for index, panel in enumerate(panels)
        for step, count in enumerate(campaign.submissions)
    ]
    return Table(("alpha", "mechanism", "submissions", "median_public", "median_private", "repetitions"), rows)
