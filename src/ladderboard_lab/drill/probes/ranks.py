"""The probe of a board with one instance per rank, flooded with variants of one good model."""

import numpy as np

from ladderboard_lab.drill.http_participants import write_csv
from ladderboard_lab.drill.organiser import sign_in_organiser
from ladderboard_lab.drill.probe_context import LocalProbeContext, ProbeResult
from ladderboard_lab.participant import Array

VARIANTS, QUICK_VARIANTS = 60, 15
TRUE_SHARE, FLIPPED = 0.75, 0.1
"""Of all rows: right in the good model, and drawn again in each variant."""


def flooded_ranks(context: LocalProbeContext) -> ProbeResult:
    """Random flips of a good model fill the ranks: what the board shows stays within what the meter states.

    The private rows tell the truth: flips cannot be fitted to them.
    """
    if not context.competition.mechanism.shows_scores:
        return ProbeResult("flooded_ranks", True, "no scores are shown, so there are no ranks to flood")
    with context.serve_copy("ranked", board="rank") as ranked:
        good = ranked.mix(TRUE_SHARE, ranked.values, ranked.rng.permutation(ranked.values))
        participant = ranked.sign_up("flood")
        sent: dict[str, Array] = {}
        for _ in range(QUICK_VARIANTS if ranked.quick else VARIANTS):
            predictions = ranked.to_predictions(ranked.mix(FLIPPED, ranked.rng.permutation(ranked.values), good))
            answer = participant.post_file(write_csv(participant.format, predictions))
            release = answer.json()["release"]
            if release["accepted"] and release["board_value"] is not None:
                sent[str(release["board_value"])] = predictions
        with sign_in_organiser(ranked) as organiser:
            health, flags, page = organiser.read_health(), organiser.list_flags(), organiser.read_dashboard()
    overfit = _largest_overfit(ranked, sent)
    bound = health["overfit_bound"]
    raised = ", ".join(sorted({kind for _, kind in flags})) or "no flag"
    is_shown = participant.team in page
    words = f"shown {overfit:+.4f} better than private, {'no bound' if bound is None else f'bound {bound:.4f}'}"
    where = "on the dashboard" if is_shown else "not on the dashboard"
    holds = (bound is None or overfit <= bound) and bool(flags) and is_shown
    return ProbeResult("flooded_ranks", holds, f"{words}; flags {where}: {raised}")


def _largest_overfit(context: LocalProbeContext, sent: dict[str, Array]) -> float:
    """Find the largest overfit on the board: private loss minus loss shown; 0 if nothing got there."""
    private = context.competition.solution.rows("Private")
    if not len(private):
        private = np.arange(len(context.values))
    loss, truths = context.briefing.loss, context.values[private]
    return max(
        (
            loss(context.metric.score(truths, predictions[private])) - loss(float(shown))
            for shown, predictions in sent.items()
        ),
        default=0.0,
    )
