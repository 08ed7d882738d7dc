"""The two gains of a guard or board: what its next attempt usually shows, and what it usually proves.

*Shown*: accepted, so that the number on the board moves. *Proven*: the word "improved" is said. Both follow from public
facts alone, and each is the true gain over the score shown that gets there with 80 % power.
"""

import json
import math
from collections.abc import Callable

from ladderboard.core.gains import Gains
from ladderboard.core.precision import RATIO
from ladderboard.core.records import State, Yardstick
from ladderboard.core.scales import IDENTITY
from ladderboard.guard.file import GuardFile
from ladderboard.inference.gain_power import find_gain, power_against_baseline, power_against_entry
from ladderboard.inference.needed_errors import ItemShare
from ladderboard.inference.power import GOOD_POWER, distance_to_best, smallest_visible_improvement
from ladderboard.mechanisms.base import Mechanism, ProofTest

OUT_OF_REACH = "not even the best possible score would usually be"
FILE_DECIDES = "how large a first gain must be cannot be said: it depends on how the file errs"
NO_ERROR = "how large a gain must be cannot be said: the score shown has no standard error"


def find_gains(guard: GuardFile, mechanism: Mechanism, state: State) -> Gains:
    """Find the gains at the attempt after that state; needs no labels."""
    if guard.settings.public_facts is None:
        return Gains()
    return estimate_gains(mechanism, facts_from_json(guard.settings.public_facts), state)


def facts_to_json(yardstick: Yardstick) -> str:
    """Convert what `estimate_gains` needs of a yardstick to JSON, no more precisely than it is public.

    The baseline's score is the one that is shown, and the null standard error has three digits: the guard's file says
    nothing about labels that a release does not say.
    """
    public = {
        "metric": yardstick.metric,
        "units": yardstick.units,
        "lower_is_better": yardstick.lower_is_better,
        "bounds": yardstick.bounds,
        "paired_test": yardstick.paired_test,
        "baseline_score": yardstick.published_baseline(0.5),
        "null_standard_error": float(f"{yardstick.null_standard_error:.3g}"),
        "spread_is_open": yardstick.spread_is_open,
    }
    return json.dumps(public)


def facts_from_json(text: str) -> Yardstick:
    """The inverse of `facts_to_json`; its scale, which no gain depends on, is lost."""
    public = json.loads(text)
    return Yardstick(**{**public, "bounds": tuple(public["bounds"]), "scale": IDENTITY})


def estimate_gains(mechanism: Mechanism, yardstick: Yardstick, state: State) -> Gains:
    """The smallest true gains over the score shown that the next attempt shows and proves with 80 % power.

    They follow from the size of the test set, the mechanism, and what the team was told. The standard error is that of
    the score shown where the losses are 0 or 1, else the released one. A gain is taken to be as noisy as that score
    itself, as it is where the losses of two files have a correlation of one half; files that agree more are told apart
    more easily. Measured by ``python -m benchmarks.gains``.

    >>> from ladderboard.core.records import Proof
    >>> from ladderboard.mechanisms import MECHANISMS
    >>> from ladderboard.metrics import find_metric
    >>> from ladderboard.metrics.answer_key import AnswerKey
    >>> yardstick = AnswerKey([0, 1] * 1000, find_metric("accuracy")).yardstick
    >>> state = State(9, 2, released=0.86, proof=Proof("2", 0.86, 2))
    >>> gains = estimate_gains(MECHANISMS["witness_ladder"](), yardstick, state)
    >>> round(gains.shown, 4), round(gains.proven, 4)
    (0.0162, 0.0312)
    """
    if state.released is None:
        return Gains()
    test = mechanism.entry_test()
    if test is not None and state.accepts == 0:
        return _estimate_first(mechanism, yardstick, state)
    error = _standard_error(mechanism, yardstick, state)
    if error is None:
        return Gains(reason=NO_ERROR)
    shown = _shown_power(mechanism, yardstick, state, error)
    if shown is None:
        return Gains()
    reach = distance_to_best(yardstick, state.released)
    return _solve(mechanism, shown, _proven_power(mechanism, yardstick, state, error, shown), error, reach)


Power = Callable[[float], float]


def _solve(mechanism: Mechanism, shown: Power, proven: Power, error: float, reach: float | None) -> Gains:
    found = find_gain(shown, GOOD_POWER, unit=error, reach=reach)
    if not mechanism.corrects_for_attempts:
        return Gains(found, None, None if found is not None else f"{OUT_OF_REACH} shown")
    proof = find_gain(proven, GOOD_POWER, unit=error, reach=reach)
    word = "shown" if found is None else "proven"
    return Gains(found, proof, None if proof is not None else f"{OUT_OF_REACH} {word}")


def _estimate_first(mechanism: Mechanism, yardstick: Yardstick, state: State) -> Gains:
    """Before the first accept: over the baseline, whose errors are known."""
    test = mechanism.entry_test()
    assert test is not None
    if yardstick.spread_is_open:
        return Gains(reason=FILE_DECIDES)
    level, gate = test.alpha / (state.attempts + 1), ItemShare(yardstick, test.share)
    shown = smallest_visible_improvement(yardstick, gate_share=test.share, alpha=level)
    proof = mechanism.proof_test(state)
    if shown is None or proof is None:
        return Gains(shown, shown, None if shown is not None else f"{OUT_OF_REACH} shown")
    witness = ItemShare(yardstick, proof.share)

    def power(gain: float) -> float:
        passes = power_against_baseline(gate, gain, min(level, proof.foreseen_level))
        return passes * power_against_baseline(witness, gain, proof.level, is_proof=True)

    found = find_gain(power, GOOD_POWER, unit=yardstick.null_standard_error, reach=distance_to_best(yardstick))
    return Gains(shown, found, None if found is not None else f"{OUT_OF_REACH} proven")


def _shown_power(mechanism: Mechanism, yardstick: Yardstick, state: State, error: float) -> Power | None:
    from scipy.special import ndtr

    hurdle = mechanism.hurdle(state, yardstick, error)
    if hurdle is None:
        return None
    own = error / math.sqrt(hurdle.share)
    step, spread = max(hurdle.fixed, hurdle.errors * own), math.hypot(own, hurdle.noise)
    return lambda gain: float(ndtr((gain - step) / spread))


def _proven_power(mechanism: Mechanism, yardstick: Yardstick, state: State, error: float, shown: Power) -> Power:
    """The gate's decision and foresight rest on the same items, the word on others."""
    proof = mechanism.proof_test(state)
    if proof is None:
        return shown
    test: ProofTest = proof
    gate, witness = ItemShare(yardstick, 1 - test.share), ItemShare(yardstick, test.share)
    ahead = _lead_over_proven(yardstick, state)

    def power(gain: float) -> float:
        foreseen = power_against_entry(gate, gain + ahead, test.foreseen_level, error)
        return min(shown(gain), foreseen) * power_against_entry(witness, gain + ahead, test.level, error, is_proof=True)

    return power


def _lead_over_proven(yardstick: Yardstick, state: State) -> float:
    """How much of the gain over the proven entry the entry on the board already shows."""
    assert state.released is not None
    before = yardstick.baseline_score if state.proof.value is None else state.proof.value
    return max(0.0, yardstick.loss(before) - yardstick.loss(state.released))


def _standard_error(mechanism: Mechanism, yardstick: Yardstick, state: State) -> float | None:
    """The standard error of the score shown; None where it was not told because few items decide the score.

    Where a mechanism tells none, that of a score without skill stands in.
    """
    score = state.released
    assert score is not None
    if yardstick.paired_test == "mcnemar":
        return max(math.sqrt(score * (1 - score) / yardstick.units), yardstick.smallest_standard_error)
    if state.standard_error is not None:
        return state.standard_error / math.sqrt(RATIO)  # it was rounded up to a power of this
    return None if mechanism.releases_standard_error else yardstick.null_standard_error
