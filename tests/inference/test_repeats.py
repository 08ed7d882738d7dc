"""Repeated runs: the two parts of an error, and pass@k, against simulation and enumeration."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.evals import LossMatrix, Repeats
from ladderboard.inference.repeats import describe_runs, pass_at_k, pass_hat_k, split_errors
from ladderboard.inference.score_intervals import score_intervals


def results(runs: FloatArray, **options: object) -> LossMatrix:
    return LossMatrix.of(runs.mean(axis=2), repeats=Repeats.of(runs), constant=True, **options)  # type: ignore[arg-type]


def draw(*, items: int, runs: int, seed: int, between_items: float = 1.0, between_runs: float = 2.0) -> FloatArray:
    rng = np.random.default_rng(seed)
    item = between_items * rng.standard_normal((items, 2, 1))
    return np.asarray(item + between_runs * rng.standard_normal((items, 2, runs)))


def test_the_parts_are_those_of_the_model() -> None:
    found = split_errors(results(draw(items=20_000, runs=4, seed=1)))[0]
    # Variances 1 between items and 4/4 between runs, over 20,000 items: relative errors of about 2 %.
    assert found.items_error == pytest.approx(np.sqrt(1 / 20_000), rel=0.05)
    assert found.runs_error == pytest.approx(np.sqrt(1 / 20_000), rel=0.05)
    assert found.standard_error**2 == pytest.approx(found.items_error**2 + found.runs_error**2)
    assert found.runs_share == pytest.approx(0.5, abs=0.05)


@pytest.mark.claim
def test_the_runs_part_is_how_scores_vary_when_the_runs_are_drawn_again() -> None:
    # The same 300 items in 400 evaluations: the standard deviation has a relative error of 3.5 %.
    rng = np.random.default_rng(2)
    item = rng.standard_normal((300, 1, 1))
    scores = [(item + 2 * rng.standard_normal((300, 1, 3))).mean() for _ in range(400)]
    runs = item + 2 * rng.standard_normal((300, 1, 3))
    assert split_errors(results(runs))[0].runs_error == pytest.approx(np.std(scores), rel=0.16)


def test_more_runs_shrink_the_runs_part_alone() -> None:
    few, many = (split_errors(results(draw(items=5000, runs=count, seed=3)))[0] for count in (2, 20))
    assert many.runs_error == pytest.approx(few.runs_error / np.sqrt(10), rel=0.1)
    assert many.items_error == pytest.approx(few.items_error, rel=0.1)


def test_runs_that_never_differ_add_nothing() -> None:
    runs = np.repeat(np.random.default_rng(4).random((50, 2, 1)), 3, axis=2)
    assert [one.runs_error for one in split_errors(results(runs))] == pytest.approx([0.0, 0.0], abs=1e-12)


def make_unequal(runs: np.ndarray, *, single: int) -> LossMatrix:
    """The same with one run only of the first items."""
    full = Repeats.of(runs)
    counts, variances, means = full.counts.copy(), full.variances.copy(), runs.mean(axis=2)
    counts[:single], variances[:single], means[:single] = 1, np.nan, runs[:single, :, 0]
    return LossMatrix.of(means, repeats=Repeats(counts, variances))


def test_items_with_one_run_are_given_the_variance_of_one_run() -> None:
    runs = draw(items=1000, runs=3, seed=5)
    full = Repeats.of(runs)
    of_one = 3 * full.variances[500:, 0].mean()
    expected = np.sqrt((500 * of_one + full.variances[500:, 0].sum()) / 1000**2)
    assert split_errors(make_unequal(runs, single=500))[0].runs_error == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_the_runs_part_is_right_with_unequal_repeats(seed: int) -> None:
    """Against the spread of the score over 400 fresh sets of runs of the same items: its relative error is 1/√800,
    3.5 %, so a correct program is 16 % off (4.5 standard errors) with probability 7e-6."""
    rng = np.random.default_rng(seed)
    solved = rng.random((300, 1, 1))
    sets = [make_unequal((rng.random((300, 1, 4)) > solved).astype(float), single=150) for _ in range(400)]
    spread = np.std([matrix.means[0] for matrix in sets], ddof=1)
    typical = np.sqrt(np.mean([split_errors(matrix)[0].runs_error ** 2 for matrix in sets]))
    assert typical == pytest.approx(spread, rel=0.16)


def test_a_system_with_one_run_of_each_item_is_named_and_the_others_are_divided() -> None:
    runs = draw(items=100, runs=3, seed=11)
    full = Repeats.of(runs)
    counts, variances = full.counts.copy(), full.variances.copy()
    counts[:, 1], variances[:, 1] = 1, np.nan
    part = LossMatrix.of(runs.mean(axis=2), repeats=Repeats(counts, variances))
    found = split_errors(part)
    assert [one.system for one in found] == ["system 1"]
    assert found[0] == split_errors(results(runs))[0]
    assert describe_runs(found, part.systems).endswith(
        "Of 1 of 2 systems there is one run of each item (system 2): not divided."
    )


def test_groups_enlarge_the_items_part_and_not_the_runs() -> None:
    runs = draw(items=600, runs=3, seed=6)
    groups = [str(row // 20) for row in range(600)]
    runs = runs + 2 * np.random.default_rng(7).standard_normal((30, 2, 1))[np.arange(600) // 20]
    free, grouped = split_errors(results(runs))[0], split_errors(results(runs, groups=groups))[0]
    assert grouped.runs_error == pytest.approx(free.runs_error)
    assert grouped.items_error > 2 * free.items_error


def test_the_sentence_says_what_more_runs_could_bring() -> None:
    said = describe_runs(split_errors(results(draw(items=400, runs=2, seed=8))))
    assert said.startswith("Repeated runs: ")
    assert "only more items go below that" in said


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_pass_at_k_is_the_share_of_choices_with_a_success(k: int) -> None:
    runs = (np.random.default_rng(9).random((30, 2, 5)) < 0.6).astype(float)  # 1 is a failure
    found = pass_at_k(results(runs), k)
    expected = [
        [np.mean([all(runs[i, j, list(chosen)]) for chosen in combinations(range(5), k)]) for j in range(2)]
        for i in range(30)
    ]
    np.testing.assert_allclose(found.losses, expected, atol=1e-12)
    assert found.repeats is None


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_pass_hat_k_is_the_share_of_choices_without_a_failure(k: int) -> None:
    runs = (np.random.default_rng(9).random((30, 2, 5)) < 0.4).astype(float)  # 1 is a failure
    found = pass_hat_k(results(runs), k)
    expected = [
        [1 - np.mean([not any(runs[i, j, list(chosen)]) for chosen in combinations(range(5), k)]) for j in range(2)]
        for i in range(30)
    ]
    np.testing.assert_allclose(found.losses, expected, atol=1e-12)
    assert found.measure.name == f"pass^{k}"


@pytest.mark.claim
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("measure", "k"), [(pass_at_k, 4), (pass_hat_k, 4), (pass_hat_k, 1)])
def test_the_interval_of_passes_holds_the_planted_chance(
    measure: Callable[[LossMatrix, int], LossMatrix], k: int, seed: int
) -> None:
    """Items as hard as Beta(1, 1) draws them: the mean of p^k is 1/(k + 1), and so is that of (1 − p)^k. 400 sets."""
    rng, covered = np.random.default_rng(seed), 0
    for _ in range(400):
        runs = (rng.random((80, 1, 6)) < rng.random((80, 1, 1))).astype(float)
        low, high = score_intervals(measure(results(runs), k))[0]
        truth = k / (k + 1) if measure is pass_hat_k else 1 / (k + 1)
        covered += low <= truth <= high
    assert covered / 400 >= 0.93


def test_what_has_no_repeats_is_refused() -> None:
    plain = LossMatrix.of([[0, 1], [1, 0], [1, 1]])
    for use in (split_errors, lambda one: pass_at_k(one, 2), lambda one: pass_hat_k(one, 2)):
        with pytest.raises(InputError, match="one run of each system"):
            use(plain)
    runs = draw(items=10, runs=3, seed=10)
    with pytest.raises(InputError, match="right or wrong"):
        pass_at_k(results(runs), 2)
    with pytest.raises(ParameterError, match="some item has 3 runs"):
        pass_at_k(results((runs > 0).astype(float)), 4)
    single = Repeats(np.ones((10, 2), dtype=int), np.full((10, 2), np.nan))
    with pytest.raises(InputError, match="every system has one run of each item"):
        split_errors(LossMatrix.of(runs.mean(axis=2), repeats=single))
