"""Fewer replicates as submissions mount up: the refinement of Neto's discussion, S13."""

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions, Outcome, Verdict, experiment
from ladderboard_lab.experiments.neto.panels import outcome_of
from ladderboard_lab.experiments.neto.setting import PAPER, Panel, boot_panel, ladder_panel, run_campaign, setting_for

ADAPTIVE_ALPHAS = (0.15, 0.5)


@experiment(
    id="neto-s13",
    title="Fewer replicates as submissions mount up",
    paper=PAPER,
    claim="The discussion's refinement: a number of replicates that falls with the attempts gives early participants "
    "accurate numbers and late attackers noise.",
    takes_data=True,
)
def s13(conditions: Conditions) -> Outcome:
    """The ladder, LadderBoot with b = 1000, and LadderBoot with a b that falls with the attempts, at two levels."""
    panels = [
        panel
        for alpha in ADAPTIVE_ALPHAS
        for panel in (ladder_panel(alpha), boot_panel(alpha, 1000), _adaptive_panel(alpha))
    ]
    campaign = run_campaign(
        conditions,
        setting_for(conditions, panels),
        repetitions=conditions.choose(full=100, quick=8),
        title="attacks on an adaptive number of replicates",
    )
    net = campaign.final_net().tolist()
    flattery = [-value for value in net]
    numbers = {f"{panel.name}, α = {panel.alpha:g}": value for panel, value in zip(panels, net, strict=True)}
    verdict = Verdict(
        all(net[3 * row + 2] > net[3 * row] + 0.02 and net[3 * row + 2] > net[3 * row + 1] - 0.01 for row in (0, 1)),
        f"Median flattery at α = .15/.5: ladder {flattery[0]:.3f}/{flattery[3]:.3f}, constant b = 1000 "
        f"{flattery[1]:.3f}/{flattery[4]:.3f}, b = 1000/√t {flattery[2]:.3f}/{flattery[5]:.3f} (net of "
        "the split's luck).",
        numbers,
    )
    outcome = outcome_of(conditions, panels, campaign, verdict)
    return Outcome(outcome.table, outcome.draw, verdict, size=(7.5, 4.6))


def _adaptive_panel(alpha: float) -> Panel:
    mechanism = lb.LadderBoot(alpha, 1000, gamma=0.5, redraw=True)
    return Panel(alpha, 1000, mechanism, label="LadderBoot, b = 1000/√t")
