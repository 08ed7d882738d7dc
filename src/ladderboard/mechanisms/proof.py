"""The test behind the word "improved" of the Witness Ladder.

An accepted candidate is tested on the witnesses B against the last proven entry. Test m after m − 1 failures has the
level α·w(m)/(1 + L/8), L the numbers of B that were released before, and keeps it for as long as tests pass: a failure
ends the slot, and no slot comes back. The weights sum to one. Whether a test is made follows from the gate A and
earlier releases alone: a look at B that is not charged would break the argument. See docs/theory/witness_ladder.md and
docs/decisions/levels-until-a-test-fails.md.
"""

import math
from typing import NamedTuple

from ladderboard.core.records import Evaluation, State, Subset
from ladderboard.inference.pairwise import paired_p_value

FAST_SHARE = 0.7
"""Of the level that is spent quickly, by a geometric series; the rest lasts for ever."""
FIRST, RATIO = 0.4, 0.6
"""The series: .4·.6^(m − 1)."""
READINGS = 8
"""So many released numbers halve the level: each is a reading of B."""
SHRINKAGE = 0.8
"""How much of the advantage on the gate is expected on the witnesses: the gate has chosen the candidate."""
FORESEEN_POWER = 1.28
"""z(.90): the gate foresees a power of less than 10 %."""


class Rivals(NamedTuple):
    """The proven entry and the candidate, under the metric that decides."""

    proven: Evaluation
    candidate: Evaluation

    def p_value(self, units: Subset) -> float:
        """The paired p-value on these units, with the pseudo-item of losses without a bound.

        The pseudo-item is the worst *difference* to the proven entry: with the worst loss itself a regression whose R²
        rises from .5 to .7 at n = 1,000 would hardly ever be called improved, since every prediction allows for much.
        """
        return self.compare(units, self.candidate.worst_difference(self.proven))

    def advantage(self, units: Subset) -> float:
        """z of the candidate against the proven entry on these units."""
        from scipy.special import ndtri

        return -float(ndtri(self.compare(units, None)))

    def compare(self, units: Subset, worst: float | None) -> float:
        """The paired p-value on these units; ``worst`` as in `paired_p_value`."""
        return paired_p_value(self.proven.on(units), self.candidate.on(units), worst=worst)


def find_weight(test: int) -> float:
    """w(m) = .7·.4·.6^(m−1) + .3/(m(m+1)), the share of α that test m = 1, 2, … is made at; they sum to one.

    >>> [round(find_weight(m), 4) for m in (1, 2, 3, 10)]
    [0.43, 0.218, 0.1258, 0.0055]
    """
    return FAST_SHARE * FIRST * RATIO ** (test - 1) + (1 - FAST_SHARE) / (test * (test + 1))


def find_level(alpha: float, *, failed: int, readings: int) -> float:
    """The level of the next test after ``failed`` tests that failed and ``readings`` numbers released before it."""
    return alpha * find_weight(failed + 1) / (1 + readings / READINGS)


def foresees_proof(rivals: Rivals, gate: Subset, witness: Subset, level: float) -> bool:
    """Whether the gate foresees a power of 10 % or more: only then is the test made, and charged where it fails."""
    from scipy.special import ndtri

    expected = SHRINKAGE * math.sqrt(len(witness.units) / len(gate.units)) * rivals.advantage(gate)
    return expected >= -float(ndtri(level)) - FORESEEN_POWER


def find_foreseen_level(level: float, *, share: float) -> float:
    """The p-value on the gate up to which a test at that level is made; ``share`` is that of the witnesses."""
    from scipy.special import ndtr, ndtri

    return float(ndtr((float(ndtri(level)) + FORESEEN_POWER) / (SHRINKAGE * math.sqrt(share / (1 - share)))))


def passes_former_test(rivals: Rivals, witness: Subset, state: State, alpha: float) -> bool:
    """The test of the rules before 2: level α/(i(i + 1)), i the accepts since the last proof; for replays."""
    since = state.accepts - state.proof.accepts
    worst = rivals.candidate.worst_difference_of_any_label(rivals.proven)
    return rivals.compare(witness, worst) <= alpha / (since * (since + 1))
