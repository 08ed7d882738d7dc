"""How private scores are published: rounded in one way, and written in one way."""

import math

from ladderboard.core.records import Yardstick
from ladderboard.core.scales import scale_is_log
from ladderboard.core.score_format import ScoreFormat
from ladderboard.server.competitions.live_competition import LiveCompetition

SIGNIFICANT_DIGITS = 5


def find_private_format(live: LiveCompetition) -> ScoreFormat:
    """The format of the final board; that of the public board where every row is public."""
    key = live.competition.private
    return live.score_format if key is None else make_private_format(key.yardstick)


def make_private_format(yardstick: Yardstick) -> ScoreFormat:
    """Two decimals more than a null standard error begins with; on a logarithmic scale five digits."""
    if scale_is_log(yardstick.scale):
        return ScoreFormat(digits=SIGNIFICANT_DIGITS)
    return ScoreFormat(decimals=max(0, math.ceil(-math.log10(yardstick.null_standard_error)) + 2))


def round_private_score(score: float | None, yardstick: Yardstick) -> float:
    """A private score as it is published. ``yardstick`` is that of the private rows."""
    assert score is not None
    decimals = make_private_format(yardstick).decimals
    return float(f"{score:.{SIGNIFICANT_DIGITS}g}") if decimals is None else round(score, decimals) + 0.0
