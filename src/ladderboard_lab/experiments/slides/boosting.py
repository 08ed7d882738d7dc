"""The slides' figure of the boosting attack: scores rounded to 1/√n on the left, to 1e-5 on the right."""

import math
from functools import partial
from typing import TYPE_CHECKING

from ladderboard_lab.experiments.base import (
    Conditions,
    ExperimentResult,
    Verdict,
    check_claim,
    check_number,
    experiment,
)
from ladderboard_lab.experiments.deciding import agrees
from ladderboard_lab.experiments.drawing import title_left
from ladderboard_lab.experiments.ladder.fig1 import (
    KNOWN,
    NO_LADDER,
    PUBLIC,
    RANDOM_VOTES,
    Curve,
    curves_table,
    draw_panel,
    list_runs,
    published_points,
    run_boosting,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRECISIONS = {"rounded to 1/√n": 1 / math.sqrt(PUBLIC), "rounded to 1e-5": 1e-5, "rounded to two decimals": 0.01}
PRINTED_LOW = (0.4753, 0.4667, 0.4535, 0.4506)
"""The published left panel at 100, 200, 300, 400 submissions (csvs/kaggleboosting-4000-400-5-lowacc.csv, MIT)."""


@experiment(
    id="slides-boosting",
    title="The boosting attack with scores rounded to 1/√n and to 1e-5",
    paper="Slides",
    claim="12,000 random labels, 4,000 of them public. Left: scores rounded to 1/√n = .0158; right: to 1e-5. The "
    "Ladder withstands the attack beside both.",
    controls=(NO_LADDER, RANDOM_VOTES),
)
def slides_boosting(conditions: Conditions) -> ExperimentResult:
    """Both panels, and the rounding that reproduces the published points of the left one."""
    runs = conditions.repeat(full=40, quick=5)
    *disclosed, ladder = run_boosting(conditions, tuple(PRECISIONS.values()), runs)
    curves = dict(zip(PRECISIONS, disclosed, strict=True))
    worst = {name: max(map(abs, curve.distances(PRINTED_LOW))) for name, curve in curves.items()}
    losses = {name: curve.at(400) for name, curve in curves.items()}
    checks = (
        check_number(
            "the left panel's published points agree with ours of two decimals",
            agrees(curves["rounded to two decimals"].distances(PRINTED_LOW), degrees=KNOWN),
        ),
        check_claim(
            "at 400 submissions every rounding is at least twice as far below ½ as the Ladder",
            all(0.5 - loss > 2 * (0.5 - ladder.at(400)) for loss in losses.values()),
        ),
    )
    sentence = (
        f"Loss at 400 submissions: {losses['rounded to 1/√n']:.3f} rounded to 1/√n, "
        f"{losses['rounded to two decimals']:.3f} to two decimals (the published left panel: .451), "
        f"{losses['rounded to 1e-5']:.3f} to 1e-5 (.427), Ladder {ladder.at(400):.3f}. The published points of the "
        f"left panel are {worst['rounded to two decimals']:.1f} standard errors from two decimals and "
        f"{worst['rounded to 1/√n']:.1f} from 1/√n: rounding to the nearest multiple of .0158 puts the cut at .498, "
        f"which helps the attacker."
    )
    numbers = {f"loss, {name}, k = 400": loss for name, loss in losses.items()} | {
        "loss, Ladder, k = 400": ladder.at(400)
    }
    everything = {**curves, "Ladder": ladder}
    draw = partial(_draw, curves=curves, ladder=ladder, conditions=conditions)
    verdict, raw = Verdict(checks, sentence, numbers), list_runs(everything)
    return ExperimentResult(curves_table(everything, {}), draw, verdict, size=(12.0, 4.0), raw=raw)


def _draw(figure: "Figure", *, curves: dict[str, Curve], ladder: Curve, conditions: Conditions) -> None:
    published = {"rounded to 1/√n": "lowacc", "rounded to 1e-5": "highacc", "rounded to two decimals": "lowacc"}
    for axes, (name, curve) in zip(figure.subplots(1, 3, sharey=True), curves.items(), strict=True):
        draw_panel(axes, {"Kaggle": curve, "Ladder": ladder}, published_points(conditions, published[name]))
        title_left(axes, name)
    figure.axes[0].set_ylabel("loss of the boosted vector")
