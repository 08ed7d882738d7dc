"""A board with one instance per rank, flooded with variants of one good model."""

import numpy as np

from ladderboard_lab.drill.http_participants import as_csv
from ladderboard_lab.drill.organiser import organiser_of
from ladderboard_lab.drill.scene import OwnScene, Probed
from ladderboard_lab.participant import Array

VARIANTS, QUICK_VARIANTS = 60, 15
TRUE_SHARE, FLIPPED = 0.75, 0.1
"""Of all rows: right in the good model, and drawn again in each variant."""


def flooded_ranks(scene: OwnScene) -> Probed:
    """Random flips of a good model fill the ranks: what the board shows stays within what the meter states.

    The private rows tell the truth: flips cannot be fitted to them.
    """
    with scene.beside("ranked", board="rank") as ranked:
        good = ranked.mixed(TRUE_SHARE, ranked.values, ranked.rng.permutation(ranked.values))
        stranger = ranked.stranger("flood")
        sent: dict[str, Array] = {}
        for _ in range(QUICK_VARIANTS if ranked.quick else VARIANTS):
            predictions = ranked.as_predictions(ranked.mixed(FLIPPED, ranked.rng.permutation(ranked.values), good))
            answer = stranger.post_file(as_csv(stranger.format, predictions))
            release = answer.json()["release"]
            if release["accepted"] and release["board_value"] is not None:
                sent[str(release["board_value"])] = predictions
        with organiser_of(ranked) as organiser:
            health, flags, page = organiser.health(), organiser.flags(), organiser.dashboard()
    overfit = _largest_overfit(ranked, sent)
    bound = health["overfit_bound"]
    raised = ", ".join(sorted({kind for _, kind in flags})) or "no flag"
    is_shown = stranger.team in page
    words = f"shown {overfit:+.4f} better than private, {'no bound' if bound is None else f'bound {bound:.4f}'}"
    where = "on the dashboard" if is_shown else "not on the dashboard"
    holds = (bound is None or overfit <= bound) and bool(flags) and is_shown
    return Probed("flooded_ranks", holds, f"{words}; flags {where}: {raised}")


def _largest_overfit(scene: OwnScene, sent: dict[str, Array]) -> float:
    """The private loss minus the one shown, the worst of those on the board; 0 where nothing got there."""
    private = scene.competition.solution.rows("Private")
    if not len(private):
        private = np.arange(len(scene.values))
    loss, truths = scene.briefing.loss, scene.values[private]
    return max(
        (
            loss(scene.metric.score(truths, predictions[private])) - loss(float(shown))
            for shown, predictions in sent.items()
        ),
        default=0.0,
    )
