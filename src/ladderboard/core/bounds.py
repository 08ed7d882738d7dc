"""Bounds from the papers as functions: what can be promised for n items and k submissions.

Losses are in [0, 1], items i.i.d., logarithms natural.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

from ladderboard.core.errors import ParameterError

DELTA = 0.05
"""The probability with which a bound may fail, unless said otherwise."""


def ladder_failure_probability(*, epsilon: float, step: float, n: int, k: int) -> float:
    """Theorem 3.1: P(leaderboard error > ε + η) ≤ exp(−2ε²n + (1/η + 2)·log(4k/η) + 1), at most 1.

    Blum & Hardt 2015; for the Ladder with step η and a deterministic analyst of k submissions.

    >>> round(ladder_failure_probability(epsilon=0.2, step=0.1, n=10_000, k=1000), 6)
    0.0
    """
    _check(n=n, k=k, epsilon=epsilon, step=step)
    return math.exp(min(0.0, -2 * epsilon**2 * n + _ladder_log_transcripts(step, k)))


def ladder_epsilon(*, step: float, n: int, k: int, delta: float = DELTA) -> float:
    """Theorem 3.1 solved for ε: with probability 1 − δ the leaderboard error is at most ε + η."""
    _check(n=n, k=k, step=step, delta=delta)
    return math.sqrt((_ladder_log_transcripts(step, k) + math.log(1 / delta)) / (2 * n))


def ladder_error(*, step: float, n: int, k: int, delta: float = DELTA) -> float:
    """ε + η: the leaderboard error that Theorem 3.1 promises for a step."""
    return ladder_epsilon(step=step, n=n, k=k, delta=delta) + step


@lru_cache(maxsize=256)  # a Ladder asks for the same one at every attempt
def best_step(*, n: int, k: int, delta: float = DELTA) -> float:
    """The step η in (0, 1] that minimises `ladder_error`.

    >>> round(best_step(n=4000, k=1000), 3)
    0.071
    """
    _check(n=n, k=k, delta=delta)
    low, high = math.log(1e-6), 0.0
    golden = (math.sqrt(5) - 1) / 2

    def error(log_step: float) -> float:
        return ladder_error(step=math.exp(log_step), n=n, k=k, delta=delta)

    # Golden-section search: the error falls, then rises, in log η.
    while high - low > 1e-10:
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, right) if error(left) < error(right) else (left, high)
    return math.exp((low + high) / 2)


def largest_submissions(*, error: float, n: int, delta: float = DELTA) -> int:
    """The inverse: the largest k whose `ladder_error` at the best step stays within ``error`` (0: none)."""
    _check(n=n, delta=delta, epsilon=error)
    if ladder_error(step=best_step(n=n, k=1, delta=delta), n=n, k=1, delta=delta) > error:
        return 0
    low, high = 0.0, 1.0
    while _error_at(math.exp(high), n, delta) <= error and high < 600:
        low, high = high, high * 2
    while math.exp(high) - math.exp(low) > 0.5 and high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if _error_at(math.exp(middle), n, delta) <= error else (low, middle)
    return int(math.exp(low))


def ladder_rate(*, n: int, k: int) -> float:
    """The rate of Theorem 3.1 at its best step: (log(kn)/n)^(1/3), without its constant."""
    _check(n=n, k=k)
    return float((math.log(k * n) / n) ** (1 / 3))


def submissions_order(*, n: int, epsilon: float) -> float:
    """k = O(exp(nε³)/n): how many submissions the Ladder bears at error ε, without its constant."""
    _check(n=n, epsilon=epsilon)
    return math.exp(min(700.0, n * epsilon**3)) / n


def lower_bound_rate(*, n: int, k: int) -> float:
    """Theorem 3.3: no mechanism's leaderboard error is below this order, √(log k/n), without its constant."""
    _check(n=n, k=k)
    return math.sqrt(math.log(k) / n)


def hoeffding_epsilon(*, n: int, k: int = 1, delta: float = DELTA) -> float:
    """√(log(2k/δ)/2n): the largest error of k scores that were fixed in advance, with probability 1 − δ.

    >>> round(hoeffding_epsilon(n=4000, k=1000), 4)
    0.0364
    """
    _check(n=n, k=k, delta=delta)
    return math.sqrt(math.log(2 * k / delta) / (2 * n))


def transcripts_epsilon(*, n: int, k: int, values: float, delta: float = DELTA) -> float:
    """√((k·ln V + ln(2/δ))/2n): Hoeffding over the V^k submissions that an analyst may come to, however it adapts.

    Every answer is one of V numbers; before the last submission there are at most V^(k−1) histories, fewer than V^k
    submissions in all. Their number grows exponentially with k, the bound with √k: for scores of five decimals it
    reaches ½ after n/23 submissions.

    >>> round(transcripts_epsilon(n=4000, k=10, values=100_001), 3), round(hoeffding_epsilon(n=4000, k=10), 3)
    (0.122, 0.027)
    """
    _check(n=n, k=k, delta=delta)
    if not values >= 2:
        raise ParameterError(f"values is {values}; an answer that can differ is one of at least 2")
    return math.sqrt((k * math.log(values) + math.log(2 / delta)) / (2 * n))


def private_rate(*, n: int, k: int, log_domain: float) -> float:
    """min{log(k)^(3/7)·log|X|^(1/7)/n^(2/7), (log|X|·log k/n)^(1/4)}, without its constant.

    The error of k adaptive averages by Dwork et al. 2015, as Blum & Hardt 2015 quote it in section 1.2; ``log_domain``
    is log |X|, of the size of the data domain. The algorithm takes exponential time.
    """
    _check(n=n, k=k)
    found = min(
        math.log(k) ** (3 / 7) * log_domain ** (1 / 7) / n ** (2 / 7),
        (log_domain * math.log(k) / n) ** 0.25,
    )
    return float(found)


def efficient_rate(*, n: int, k: int) -> float:
    """k^(1/5)·log(k)^(3/5)/n^(2/5): the same by an efficient algorithm, worse than the Ladder's for k > n^(1/3).

    >>> 1 < efficient_rate(n=10_000, k=10**6) / ladder_rate(n=10_000, k=10**6)
    True
    """
    _check(n=n, k=k)
    return float(k**0.2 * math.log(k) ** 0.6 / n**0.4)


def rounds_rate(*, n: int, k: int, rounds: int) -> float:
    """√r·log(k)/n: Dwork et al.'s EffectiveRounds, as printed, for at most r rounds of adaptivity."""
    _check(n=n, k=k)
    return math.sqrt(rounds) * math.log(k) / n


def noisy_error(*, n: int, k: int, noise: float | None = None, delta: float = DELTA) -> float:
    """The error of k means of n losses, each told with N(0, noise²): with probability 1 − δ none is further off.

    Jung, Ligett, Neel, Roth, Sharifi-Malvajerdi & Shenfeld 2020, whose transfer theorem adds up what noise hides and
    what it costs: answers that are (ε, δ')-differentially private and within α of the sample but for a probability β
    are within α + (e^ε − 1) + c + 2d of the truth but for a probability β/c + δ'/d. Here c, d, β, δ' and, unless it is
    given, the noise are the best ones; ε is that of k Gaussian answers (Bun & Steinke 2016, zCDP). At most 1.

    It holds for whoever adapts to the answers, and grows with k^¼ where `transcripts_epsilon` grows with √k.

    >>> [round(noisy_error(n=1_000_000, k=k), 3) for k in (1, 1000, 1_000_000)]
    [0.01, 0.06, 0.358]
    """
    from scipy.optimize import minimize
    from scipy.special import ndtri

    _check(n=n, k=k, delta=delta, **({} if noise is None else {"epsilon": noise}))

    def error(logs: Sequence[float]) -> float:
        failure, privacy = math.exp(min(0.0, logs[0])), math.exp(min(0.0, logs[1]))
        scale = math.exp(logs[2]) if noise is None else noise
        spent = k / (2 * n**2 * scale**2)
        epsilon = spent + 2 * math.sqrt(-spent * math.log(privacy))
        hidden = -scale * float(ndtri(failure / (2 * k)))
        # At the best c and d: c + 2d = (√β + √(2δ'))²/δ.
        chance = (math.sqrt(failure) + math.sqrt(2 * privacy)) ** 2 / delta
        return hidden + math.expm1(min(epsilon, 50.0)) + chance

    start = [math.log(delta * 1e-4)] * 2
    if noise is None:
        start.append(math.log(k**0.25 / math.sqrt(n)))
    best = minimize(error, start, method="Nelder-Mead", options={"maxiter": 4000, "xatol": 1e-6, "fatol": 1e-10})
    return min(1.0, float(best.fun))


def multiclass_overfit(*, n: int, k: int, classes: int) -> float:
    """What k random vectors over m classes gain: ∫φ(x − d)·Φ(x)^(m−1) dx − 1/m with d = √(km/(n(m − 1))).

    The attack of Feldman, Frostig & Hardt 2019 against a board that tells every accuracy, where n is large; for two
    classes Φ(√(k/n)) − ½ is the same. More classes protect: the gain is of the order √(k·ln m/n)/m.

    >>> [round(multiclass_overfit(n=10_000, k=1000, classes=m), 3) for m in (2, 10, 1000)]
    [0.124, 0.061, 0.002]
    """
    from scipy.integrate import quad
    from scipy.stats import norm

    _check(n=n, k=k)
    if classes < 2:
        raise ParameterError(f"classes is {classes}; it must be at least 2")
    ahead = math.sqrt(k * classes / (n * (classes - 1)))
    won, _ = quad(lambda x: norm.pdf(x - ahead) * norm.cdf(x) ** (classes - 1), ahead - 12, ahead + 12, points=[ahead])
    return float(won) - 1 / classes


def multiclass_rate(*, n: int, k: int, classes: int) -> float:
    """max{√(k·log n/(mn)), k/n}: no attack gains more than this order (Feldman, Frostig & Hardt 2019), no constant."""
    _check(n=n, k=k)
    return max(math.sqrt(k * math.log(n) / (classes * n)), k / n)


def leakage_bits(attempts: int, accepts: int, values: float) -> float:
    """log2 C(t, A) + A·log2 V + log2 t + log2((A+1)(A+2)): the bits of a transcript with t attempts and A accepts.

    Which attempts were accepted, the V values that each release could take, and a prefix code for t and A.

    >>> leakage_bits(0, 0, 100)
    0.0
    """
    if not 0 <= accepts <= attempts:
        raise ParameterError(f"{accepts} accepts of {attempts} attempts; there can be 0 to {attempts}")
    if attempts == 0:
        return 0.0
    return (
        log2_choose(attempts, accepts)
        + accepts * math.log2(values)
        + math.log2(attempts)
        + math.log2((accepts + 1) * (accepts + 2))
    )


def answers_probability(answers: int, yes: int) -> float:
    """The probability of a sequence of yes/no answers under a coin whose bias has the Beta(½, ½) distribution.

    Krichevsky and Trofimov 1981. Over all sequences of one length they sum to one, so a level that is divided among
    transcripts by it holds for whatever an analyst makes of the answers. Answers that are all alike cost little.

    >>> answers_probability(0, 0), round(answers_probability(1, 0), 3), round(answers_probability(10, 10), 3)
    (1.0, 0.5, 0.176)
    """
    no, half = answers - yes, 0.5
    logs = math.lgamma(yes + half) + math.lgamma(no + half) - math.lgamma(answers + 1) - math.log(math.pi)
    return math.exp(logs) if answers else 1.0


def overfit_bound(
    bits: float, n: float | None, bounds: tuple[float, float] = (0.0, 1.0), delta: float = DELTA
) -> float | None:
    """√((bits·ln 2 + ln(2/δ))/(2n)), times the width of the bounds; None where those are infinite.

    ``n`` is `Yardstick.hoeffding_units`: the number of items for a mean of losses that all count alike, less for AUC
    and balanced accuracy and where weights or groups are uneven; None where nothing is proven for the metric.

    A union bound over the transcripts that so many bits can tell apart: with probability 1 − δ no submission of the
    analyst is further than this from its true score.
    """
    width = bounds[1] - bounds[0]
    if n is None or not math.isfinite(width):
        return None
    return width * math.sqrt((bits * math.log(2) + math.log(2 / delta)) / (2 * n))


def log2_choose(n: int, k: int) -> float:
    """log2 of the binomial coefficient."""
    return (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)) / math.log(2)


def _ladder_log_transcripts(step: float, k: float) -> float:
    return (1 / step + 2) * math.log(4 * k / step) + 1


def _error_at(k: float, n: int, delta: float) -> float:
    return ladder_error(step=best_step(n=n, k=int(k), delta=delta), n=n, k=int(k), delta=delta)


def _check(**given: float) -> None:
    """Counts are at least 1, tolerances positive, probabilities inside (0, 1)."""
    for name, value in given.items():
        if name in ("n", "k") and not value >= 1:
            raise ParameterError(f"{name} is {value}; it must be at least 1")
        if name in ("epsilon", "step") and not value > 0:
            raise ParameterError(f"{name} is {value}; it must be positive")
        if name == "delta" and not 0 < value < 1:
            raise ParameterError(f"delta is {value}; it must lie between 0 and 1")
