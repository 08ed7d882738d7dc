"""The luck in the winner's score: a number, an interval, a sentence."""

from collections.abc import Mapping
from dataclasses import replace

from ladderboard.core.errors import InputError
from ladderboard.core.records import Yardstick
from ladderboard.core.score_format import ScoreFormat
from ladderboard.inference.covariance import PairedMeans
from ladderboard.inference.many_systems import ManyMeans, winner_of_many
from ladderboard.inference.winner import WinnerEstimate, winner_estimate
from ladderboard.server.results.private_scores import PrivateScores, make_private_format, round_private_score
from ladderboard.server.results.records import LuckBody

ROUGH = "A few rows with very large errors decide much of this, so the truth may lie outside the interval."
ROUGH_BEFORE = "A few large losses weigh more than this number of rows can bear: the interval is too short."
"""How boards end that version 0.1.0 has stored."""


def luck_of(
    means: PairedMeans | ManyMeans,
    scores: PrivateScores,
    names: Mapping[str, str],
    yardstick: Yardstick,
    *,
    contenders: int,
    teams: int,
    confidence: float,
) -> LuckBody:
    """The statement of luck. ``means``: of all final submissions that have a column."""
    try:
        estimate: WinnerEstimate | None = (
            winner_of_many(means, confidence) if isinstance(means, ManyMeans) else winner_estimate(means, confidence)
        )
    except InputError:  # the winner's loss is the same on every item: there is no error to estimate
        estimate = None
    column = int(means.means.argmin()) if estimate is None else estimate.column
    final = next(one for one in scores.scores if one.column == column)
    assert final.score is not None
    winner = names[final.final.team_id]
    corrected, interval = _correct_for_luck(scores, yardstick, estimate)
    is_rough = estimate is not None and estimate.is_rough
    luck = LuckBody(winner, round_private_score(final.score, yardstick), corrected, interval, contenders, sentence="")
    words = luck_in_words(luck, make_private_format(yardstick), teams=teams, is_rough=is_rough)
    return replace(luck, sentence=words)


def luck_in_words(luck: LuckBody, scores: ScoreFormat, *, teams: int, is_rough: bool) -> str:
    """The statement of luck in sentences; stored in English, and made again with the decimals of the board."""
    words = [f"{luck.winner} scored {scores.write(luck.score)} on the private rows."]
    if luck.corrected is not None and luck.interval is not None:
        low, high = map(scores.write, luck.interval)
        whose = "Its" if teams == 1 else f"Corrected for being the best of {teams} teams, its"
        about = scores.write(luck.corrected)
        words.append(f"{whose} true score lies between {low} and {high} (95 % interval); about {about}.")
    if teams > 1:
        words.append(
            f"No other of the {teams} teams could truly be the best."
            if luck.contenders == 1
            else f"{luck.contenders} of the {teams} teams could truly be the best."
        )
    return " ".join([*words, ROUGH] if is_rough else words)


def _correct_for_luck(
    scores: PrivateScores, yardstick: Yardstick, estimate: WinnerEstimate | None
) -> tuple[float | None, list[float] | None]:
    if estimate is None:
        return None, None

    def score(loss: float) -> float:
        found = loss if yardstick.lower_is_better else scores.zero_loss_score - loss
        low, high = yardstick.bounds
        return round_private_score(min(max(found, low), high), yardstick)

    return score(estimate.value), sorted(map(score, estimate.interval))
