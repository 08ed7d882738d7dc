"""Bradley–Terry strengths, their errors and the check of fit, against independent computations."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import stdtr

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.evals import Battles
from ladderboard.inference.battles.bradley_terry import fit_strengths
from ladderboard.inference.battles.ranking import rank_battles
from ladderboard.inference.contrasts import draw_contrasts
from ladderboard.inference.covariance import PairedMeans
from ladderboard.inference.pairwise import SMALLEST_SUPPORT
from ladderboard.inference.rank_ranges import certainly_worse, find_ranges


def fight(
    strengths: FloatArray, *, battles: int, seed: int = 1, ties: float = 0.0, on_item: int = 1, taste: float = 0.0
) -> Battles:
    """Random battles; ``taste``: the spread of what each item adds to each system's strength."""
    rng = np.random.default_rng(seed)
    systems = len(strengths)
    first = rng.integers(0, systems, battles)
    second = (first + rng.integers(1, systems, battles)) % systems
    items = np.arange(battles) // on_item
    liking = strengths + taste * rng.standard_normal((items[-1] + 1, systems))
    won = rng.random(battles) < 1 / (1 + np.exp(liking[items, second] - liking[items, first]))
    outcomes = np.where(rng.random(battles) < ties, 0.5, won.astype(float))
    names = [f"s{place}" for place in range(systems)]
    labels = [str(item) for item in items] if on_item > 1 else None
    return Battles.of([names[j] for j in first], [names[j] for j in second], outcomes.tolist(), items=labels)


def test_two_systems_differ_by_the_log_odds_of_their_points() -> None:
    battles = Battles.of(["a"] * 10, ["b"] * 10, [1, 1, 1, 1, 1, 1, 1, 0.5, 0.5, 0])
    a, b = fit_strengths(battles).values
    assert a - b == pytest.approx(math.log(8 / 2))
    assert a + b == pytest.approx(0)


def test_the_strengths_maximise_the_likelihood() -> None:
    battles = fight(np.array([0.8, 0.0, -0.3, -0.5]), battles=300, ties=0.2)

    def negative_log_likelihood(free: FloatArray) -> float:
        beta = np.r_[0.0, free]
        margin = beta[battles.first] - beta[battles.second]
        return float(np.sum(np.logaddexp(0, -margin) + (1 - battles.outcomes) * margin))

    found = minimize(negative_log_likelihood, np.zeros(3), method="BFGS", options={"gtol": 1e-8}).x
    beta = np.r_[0.0, found]
    assert fit_strengths(battles).values == pytest.approx(beta - beta.mean(), abs=1e-5)


def test_which_system_is_named_first_does_not_matter() -> None:
    battles = fight(np.array([0.5, 0.0, -0.5]), battles=200, ties=0.1)
    turned = Battles(battles.systems, battles.second, battles.first, 1 - battles.outcomes)
    assert rank_battles(turned).strengths == pytest.approx(rank_battles(battles).strengths)
    assert rank_battles(turned).standard_errors == pytest.approx(rank_battles(battles).standard_errors)
    assert rank_battles(turned).fit.p_value == pytest.approx(rank_battles(battles).fit.p_value)


def test_the_errors_are_those_of_the_jackknife_over_items() -> None:
    battles = fight(np.array([0.6, 0.0, -0.6]), battles=900, on_item=3, taste=1.0)
    assert battles.items is not None
    items = np.array(battles.items)
    without = []
    for item in dict.fromkeys(battles.items):
        kept = items != item
        part = Battles(battles.systems, battles.first[kept], battles.second[kept], battles.outcomes[kept])
        without.append(fit_strengths(part).values)
    spread = np.array(without) - np.mean(without, axis=0)
    expected = np.sqrt((len(without) - 1) / len(without) * np.square(spread).sum(axis=0))
    # The sandwich is the jackknife's first order: 300 items.
    assert rank_battles(battles).standard_errors == pytest.approx(expected, rel=0.02)


def test_independent_battles_have_the_models_own_errors() -> None:
    battles = fight(np.array([0.5, 0.2, -0.2, -0.5]), battles=20_000)
    model = np.sqrt(np.diag(fit_strengths(battles).inverse))
    # The sandwich and the inverse of H agree where the model holds; each has an error of about 1/√20,000.
    assert rank_battles(battles).standard_errors == pytest.approx(model, rel=0.03)


def misses(*, with_items: bool, runs: int, ties: float) -> float:
    """In how many boards of six equal systems, twelve battles on each of 60 items, some true rank is missed."""
    missed = 0
    for run in range(runs):
        battles = fight(np.zeros(6), battles=720, seed=run, on_item=12, taste=2.0, ties=ties)
        if not with_items:
            battles = Battles(battles.systems, battles.first, battles.second, battles.outcomes)
        ranges = rank_battles(battles, replicates=999, seed=run).ranges
        missed += any(one.best > 1 or one.worst < 6 for one in ranges)
    return missed / runs


@pytest.mark.claim
@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_all_true_ranks_are_covered_at_once(ties: float) -> None:
    # 300 boards; missed in 5 %: above 9 % by chance in 1 of 900 runs of other seeds.
    assert misses(with_items=True, runs=300, ties=ties) <= 0.09


@pytest.mark.claim
def test_battles_on_one_item_taken_as_independent_miss_many() -> None:
    # Negative control.
    assert misses(with_items=False, runs=60, ties=0.0) > 0.2


@pytest.mark.claim
def test_a_model_that_holds_is_doubted_in_one_board_of_twenty_at_most() -> None:
    # 300 boards; above 9 % by chance in 1 of 900 runs.
    doubted = [
        rank_battles(fight(np.linspace(-1, 1, 5), battles=600, seed=run, ties=0.2), replicates=99).fit.is_doubtful
        for run in range(300)
    ]
    assert np.mean(doubted) <= 0.09


def test_a_cycle_is_found() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 3, 600)
    outcomes = (rng.random(600) < 0.7).astype(float)  # each beats the next one round
    names = ["rock", "scissors", "paper"]
    battles = Battles.of([names[j] for j in first], [names[(j + 1) % 3] for j in first], outcomes.tolist())
    found = rank_battles(battles)
    assert found.fit.is_doubtful
    assert found.fit.observed is not None
    assert found.fit.expected == pytest.approx(0.5, abs=0.1)
    assert "does not explain all pairs" in found.fit.sentence()
    assert {(one.best, one.worst) for one in found.ranges} == {(1, 3)}


def test_without_enough_battles_nothing_is_checked() -> None:
    found = rank_battles(fight(np.zeros(3), battles=30)).fit
    assert (found.pairs, found.p_value, found.is_doubtful) == (0, 1.0, False)
    assert "No pair of systems met often enough" in found.sentence()


def test_probabilities_come_from_the_strengths() -> None:
    ranking = rank_battles(fight(np.array([1.0, 0.0, -1.0]), battles=5000))
    assert ranking.win_probability("s0", "s2") == pytest.approx(1 / (1 + math.exp(-2)), abs=0.03)
    assert ranking.win_probability("s0", "s2") + ranking.win_probability("s2", "s0") == pytest.approx(1)
    assert [one.rank for one in ranking.ranges] == [1, 2, 3]


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [([1, 1, 1, 1], "'a' won or lost every battle"), ([1, 1, 0.5, 1], "no finite strength fits")],
)
def test_systems_without_a_finite_strength_are_named(outcomes: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        rank_battles(Battles.of(["a", "a", "b", "c"], ["b", "c", "c", "b"], outcomes))


def test_battles_on_a_single_item_are_refused() -> None:
    with pytest.raises(InputError, match="one group"):
        rank_battles(Battles.of(["a", "b"], ["b", "a"], [1, 1], items=["x", "x"]))


@pytest.mark.parametrize(("battles", "on_item", "taste"), [(300, 1, 0.0), (900, 1, 0.0), (900, 3, 0.5), (3000, 4, 1.0)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_everything_equals_what_single_battles_add_up_to(battles: int, on_item: int, taste: float, seed: int) -> None:
    """The same numbers from dense arrays with a row for every battle, and of pairs × items."""
    board = fight(np.linspace(1, -1, 6), battles=battles, seed=seed, ties=0.2, on_item=on_item, taste=taste)
    ranking = rank_battles(board, replicates=1000)
    beta, systems = ranking.strengths, len(board.systems)
    signs = np.zeros((battles, systems))
    signs[np.arange(battles), board.first] = 1
    signs[np.arange(battles), board.second] = -1
    expected = 1 / (1 + np.exp(-signs @ beta))
    residuals, weights = board.outcomes - expected, expected * (1 - expected)
    np.testing.assert_allclose(signs.T @ residuals, 0, atol=1e-9)
    inverse = np.linalg.pinv(signs.T @ (weights[:, None] * signs), rcond=1e-10, hermitian=True)
    items = np.arange(battles).astype(str) if board.items is None else np.array(board.items)
    member = (items == np.array(list(dict.fromkeys(items)))[:, None]).astype(float)
    influence = member @ (residuals[:, None] * signs) @ inverse
    units = len(influence)
    errors = np.sqrt(units / (units - 1) * np.square(influence).sum(axis=0))
    np.testing.assert_allclose(ranking.standard_errors, errors, rtol=1e-9)
    shares = -influence - beta / units
    paired = PairedMeans(
        systems=board.systems, items=units, means=-beta, covariance=units / (units - 1) * influence.T @ influence,
        spacing=0.0, is_binary=False, skewness=np.zeros(systems), effective_units=float(units),
        shares=shares - shares.mean(axis=1, keepdims=True),
    )  # fmt: skip
    contrasts = draw_contrasts(paired, replicates=1000, rng=np.random.default_rng(0))
    ranges = find_ranges(paired, certainly_worse(paired, contrasts, confidence=0.95))
    assert [(one.best, one.worst) for one in ranking.ranges] == [(one.best, one.worst) for one in ranges]
    p_values = []
    for low, high in itertools.combinations(range(systems), 2):
        pair = np.zeros(systems)
        pair[[low, high]] = 1, -1
        side = (signs @ pair == 2) * 1.0 - (signs @ pair == -2)
        adds = member @ (residuals * side) - (weights * np.abs(side)).sum() * (influence @ pair)
        support = int((member @ np.abs(side) > 0).sum())
        statistic = abs((residuals * side).sum()) / np.sqrt(np.square(adds).sum())
        if support >= SMALLEST_SUPPORT:
            p_values.append(2 * stdtr(support - 1, -statistic))
    assert ranking.fit.pairs == len(p_values)
    if p_values:
        assert ranking.fit.p_value == pytest.approx(min(1.0, len(p_values) * min(p_values)), rel=1e-9)
