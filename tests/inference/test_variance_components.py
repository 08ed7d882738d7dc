"""Seeds and prompts: the components against REML and known truths, and intervals that hold."""

import numpy as np
import pytest

from ladderboard.core.errors import InputError
from ladderboard.evals import LossMatrix
from ladderboard.inference.covariance import paired_means
from ladderboard.inference.rank_ranges import rank_ranges
from ladderboard.inference.score_intervals import score_intervals
from ladderboard.inference.tasks.ranking import rank_over_tasks
from ladderboard.inference.variance_components import (
    describe_sources,
    estimate_components,
    find_typical,
    mean_squares,
    split_sources,
)
from tests.claims.conditions_coverage import Design, count_covered, name_conditions
from tests.claims.sizes import least, most, sized

# MixedLM of statsmodels 0.15.0 (REML, crossed vc_formula) on the table of `draw_crossed(5)`. Of a full table whose
# components are all positive, REML and the analysis of variance are the same.
REML = {
    (0,): 0.86804,
    (1,): 0.16199,
    (2,): 0.20081,
    (0, 1): 0.26061,
    (0, 2): 0.11504,
    (1, 2): 0.12029,
    (0, 1, 2): 0.49423,
}
TRUE = {(0,): 1.0, (1,): 0.36, (2,): 0.64, (0, 1): 0.25, (0, 2): 0.16, (1, 2): 0.09, (0, 1, 2): 0.49}


def draw_crossed(seed: int, items: int = 30, seeds: int = 4, prompts: int = 5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shapes = [(items, 1, 1), (1, seeds, 1), (1, 1, prompts), (items, seeds, 1), (items, 1, prompts)]
    shapes += [(1, seeds, prompts), (items, seeds, prompts)]
    deviations = np.sqrt(list(TRUE.values()))
    return np.asarray(sum(sd * rng.normal(size=shape) for sd, shape in zip(deviations, shapes, strict=True)))


def test_the_components_are_those_of_reml() -> None:
    assert estimate_components(draw_crossed(5)) == pytest.approx(REML, abs=2e-4)


def test_the_components_are_unbiased() -> None:
    # 400 tables of 30 × 4 × 5: the largest standard error is that of the prompts, .64·√(2/4)/20 = .023.
    found = [estimate_components(draw_crossed(seed)) for seed in range(400)]
    means = {axes: np.mean([one[axes] for one in found]) for axes in TRUE}
    assert means == pytest.approx(TRUE, abs=0.08)


def test_mean_squares_of_two_ways_are_those_of_the_textbook() -> None:
    table = np.array([[3.0, 5.0, 4.0], [1.0, 6.0, 2.0], [8.0, 7.0, 9.0], [2.0, 4.0, 0.0]])
    rows, columns, total = table.mean(axis=1), table.mean(axis=0), table.mean()
    rest = table - rows[:, None] - columns[None, :] + total
    found = mean_squares(table)
    assert found[0,] == pytest.approx(3 * np.square(rows - total).sum() / 3)
    assert found[1,] == pytest.approx(4 * np.square(columns - total).sum() / 2)
    assert found[0, 1] == pytest.approx(np.square(rest).sum() / 6)


def test_the_parts_are_how_scores_vary_when_each_is_drawn_again() -> None:
    # 200 items, 3 seeds, 4 prompts; 300 evaluations: a variance has a relative error of 8 %.
    scores = [draw_crossed(seed, 200, 3, 4).mean() for seed in range(300)]
    found = [split_sources(name_conditions([draw_crossed(seed, 200, 3, 4)]))[0] for seed in range(300)]
    assert np.mean([one.total for one in found]) == pytest.approx(np.var(scores), rel=0.35)
    typical = find_typical(found)
    parts = {one.name: one.variance for one in typical.sources}
    assert parts["items"] == pytest.approx(1 / 200, rel=0.1)
    assert parts["prompts"] == pytest.approx(0.64 / 4, rel=0.25)
    assert parts["seeds"] == pytest.approx(0.36 / 3, rel=0.4)  # 2 degrees of freedom each, and cut at 0
    moves = {one.name: one.deviation for one in typical.sources}
    assert moves["prompts"] == pytest.approx(0.8, rel=0.15)
    assert moves["items"] is None


def test_items_in_groups_have_the_variance_of_the_groups() -> None:
    rng = np.random.default_rng(3)
    table = np.repeat(rng.normal(size=(40, 1, 1)), 10, axis=0) + 0.01 * rng.normal(size=(400, 3, 1))
    results = name_conditions([table, table + 1])
    alone = split_sources(results)[0].sources[0].variance
    grouped = LossMatrix(
        results.losses,
        results.systems,
        results.items,
        groups=tuple(str(row // 10) for row in range(400)),
        conditions=results.conditions,
    )
    assert split_sources(grouped)[0].sources[0].variance == pytest.approx(10 * alone, rel=0.05)


def test_a_common_effect_of_prompts_is_in_no_difference() -> None:
    rng = np.random.default_rng(4)
    prompt = rng.normal(size=(1, 1, 4))
    tables = [rng.normal(size=(300, 1, 4)) + prompt for _ in range(3)]
    results = name_conditions(tables)
    with_, without = paired_means(results), paired_means(results, conditions=False)
    assert with_.variances.min() > 10 * without.variances.max()
    assert with_.difference_variances == pytest.approx(without.difference_variances, rel=0.5)
    assert (with_.own_degrees_of_freedom < 10).all()
    assert with_.degrees_of_freedom > 10


def test_seeds_that_change_nothing_widen_nothing() -> None:
    table = np.random.default_rng(5).normal(size=(200, 1, 1)).repeat(3, axis=1)
    results = name_conditions([table, table[::-1]])
    assert paired_means(results).variances == pytest.approx(paired_means(results, conditions=False).variances)


def test_a_system_with_one_seed_has_the_variance_of_the_others() -> None:
    rng = np.random.default_rng(6)
    many = rng.normal(size=(100, 1, 1)) + rng.normal(size=(1, 6, 1)) + rng.normal(size=(100, 6, 1))
    results = name_conditions([many, many[:, :1]])
    own = paired_means(results).variances - paired_means(results, conditions=False).variances
    assert own[1] == pytest.approx(6 * own[0])


def test_what_is_not_named_is_refused_and_aggregates_too() -> None:
    with pytest.raises(InputError, match=r"no seeds or prompts are named.*seed_column"):
        split_sources(LossMatrix.of([[0, 1], [1, 1]]))
    results = name_conditions([np.random.default_rng(7).normal(size=(10, 2, 1))] * 2)
    with pytest.raises(InputError, match="mean over all items alone"):
        rank_over_tasks(results, "tasks", tasks=["a"] * 5 + ["b"] * 5)


def test_the_sentence_says_the_shares_and_what_another_one_moves() -> None:
    said = describe_sources(
        split_sources(name_conditions([draw_crossed(8), draw_crossed(9)])), LossMatrix.of([[0], [1]]).measure
    )
    assert "% from items, " in said
    assert "% from seeds, " in said
    assert "% from prompts and " in said
    assert "another seed moves a score by 0." in said
    shares = [int(word) for word in said.replace(",", " ").split() if word.isdigit()]
    assert sum(shares) == pytest.approx(100, abs=2)


@pytest.mark.claim
@sized(150, 1000)
@pytest.mark.parametrize("seed", [11, 12])
@pytest.mark.parametrize("design", [Design(4, 100, 3, 1, 0.3), Design(4, 100, 2, 3, 0.1, 0.3)], ids=str)
def test_ranges_and_intervals_hold_for_other_seeds_and_prompts(design: Design, runs: int, seed: int) -> None:
    held = count_covered(design, is_binary=True, runs=runs, seed=seed)
    for name in ("ranks", "scores", "winner", "compare"):
        assert held[name] >= least(0.93, runs), name
    assert held["naive"] <= most(0.85, runs)  # the same test without the seeds and prompts fails


def test_ranges_stay_narrow_where_seeds_do_nothing() -> None:
    rng = np.random.default_rng(13)
    tables = [(rng.random((400, 3, 1)) < chance).astype(float) for chance in (0.2, 0.3, 0.4)]
    assert [(one.best, one.worst) for one in rank_ranges(name_conditions(tables))] == [(1, 1), (2, 2), (3, 3)]
    low, high = score_intervals(name_conditions(tables))[0]
    assert high - low < 0.06
