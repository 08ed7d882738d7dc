"""Claims of records among runs that would come out otherwise another time: with other seeds, or run again.

The frontier is the best of all entries before, so it is luckier than it is good, and a small true step beyond it looks
smaller than it is. Its luck is deducted before the next record is judged.

Notation
--------
Y → the mean losses of the entries, Σ → their covariance over items, seeds, prompts and single runs (`paired_means`);
c → the record before, the best of the k entries before the claim; b → the luck that the best of these k is expected to
have (`estimate_luck`); t → the claim. z = (Y_c + b − Y_t)/√(Σ_cc + Σ_tt − 2Σ_ct) is compared with Student's t, with the
degrees of freedom of the variances. Every entry after the first, and every variant that it is the best of, could have
made a claim, so all of them are corrected for together (Holm), those without a claim with p = 1. What the tests of
items alone have for this, a record that is luckier than it is good, has been deducted here.

Guarantee
---------
Heuristic, none proven: b is an estimate. `python -m tests.claims.noisy_records` measures how often equal systems hear
of a record.
"""

from collections.abc import Sequence
from itertools import pairwise

from ladderboard.core.errors import ParameterError
from ladderboard.core.precision import effective_support
from ladderboard.core.records import FloatArray
from ladderboard.inference.contrasts import compute_root, make_generator
from ladderboard.inference.covariance import PairedMeans
from ladderboard.inference.luck import estimate_luck
from ladderboard.inference.pairwise import SMALLEST_SUPPORT, p_value_of_differences


def require_runs(results: object, *, repeats: bool) -> None:
    """Refuse the luck of runs where there is one of each, and named seeds or prompts without it."""
    has_conditions = getattr(results, "conditions", None) is not None
    has_runs = has_conditions or getattr(results, "repeats", None) is not None
    if repeats and not has_runs:
        raise ParameterError(
            "there is one run of each system, so that nothing tells how runs vary; name the seeds (--seed-column or "
            "--names), or give several runs (--reruns repeats)"
        )
    if has_conditions and not repeats:
        raise ParameterError(
            "seeds or prompts are named, and a test over items alone does not know how they vary; say --repeats "
            "(repeats=True)"
        )


def judge_noisy_records(
    losses: FloatArray, paired: PairedMeans, records: Sequence[int], batches: Sequence[Sequence[int]]
) -> tuple[list[float], list[float]]:
    """Of each claim the p-value, and the luck of the record before; ``batches``: entries that came at the same time."""
    home = {entry: batch for batch in batches for entry in batch}
    p_values, luck = [], []
    for pair in pairwise(records):
        earlier = home[pair[1]][0]
        root = compute_root(paired.of(range(earlier)).covariance)
        luck.append(estimate_luck(paired.means[:earlier], root, make_generator(0)))
        p_values.append(_find_p_value(losses, paired, pair, luck[-1]))
    return p_values, luck


def _find_p_value(losses: FloatArray, paired: PairedMeans, pair: tuple[int, int], luck: float) -> float:
    from scipy.special import stdtr

    before, now = pair
    d = losses[:, before] - losses[:, now]
    variance = float(paired.difference_variances[before, now])
    if variance == 0 or (paired.shares is None and effective_support(d) < SMALLEST_SUPPORT):
        return p_value_of_differences(d, "t")  # few items differ: as without repeats, nothing is deducted
    gain = float(paired.means[before] - paired.means[now]) + luck
    return float(stdtr(paired.degrees_of_freedom, -gain / variance**0.5))
