import math

import numpy as np
import pytest

import ladderboard as lb
from ladderboard_lab.experiments import Conditions, experiment_named
from ladderboard_lab.experiments.ladder import boosting_runs, boosting_theorem, fig1, fig3, thm
from ladderboard_lab.experiments.ladder.boosting_runs import boost_disclosed, boost_ladder, keep_released, weigh_all
from ladderboard_lab.experiments.ladder.real_boards import play, real_boards
from ladderboard_lab.experiments.own import boosting_k
from ladderboard_lab.experiments.shared_data import find_shared_folder
from ladderboard_lab.experiments.slides import top10, ttest
from ladderboard_lab.experiments.thresholdout import selection
from ladderboard_lab.experiments.thresholdout.variable_selection import Sample, correlations, select
from tests.lab.experiments.quick_runs import nothing_shared, quick
from tests.shared_data import shared_data


def test_the_same_seed_gives_the_same_table_and_another_seed_another() -> None:
    run, shared = experiment_named("ladder-fig1").run, nothing_shared()
    assert run(Conditions(quick=True, shared=shared)).table == quick("ladder-fig1").table
    assert run(Conditions(quick=True, shared=shared, seed=1)).table != quick("ladder-fig1").table


# -- boosting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", [1e-5, 0.01, 1 / math.sqrt(400)])
def test_the_block_computation_keeps_what_a_fully_disclosing_board_would(precision: float) -> None:
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 400)
    board = lb.Leaderboard(labels, mechanism=lb.FullDisclosure(precision=precision))
    guesses = rng.integers(0, 2, (200, 400))
    released = [board.submit("us", guess).value for guess in guesses]
    kept = keep_released(precision)((guesses != labels).mean(axis=1))
    assert kept.tolist() == [float(value is not None and value <= 0.5) for value in released]


def test_sending_only_what_beats_the_board_changes_nothing() -> None:
    found = [
        boost_ladder(
            np.random.default_rng(3), mechanism, n=300, private=100, checkpoints=(10, 150, 400), screened=screened
        )
        for mechanism in ("parameter_free_ladder", lb.Ladder(step_size=0.02))
        for screened in (True, False)
    ]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[2], found[3])


def test_a_first_vector_that_is_no_better_than_chance_has_no_vote() -> None:
    # Half of the first vectors are below ½ and are the final one; of the others coins are, half of them below: 3/4 in
    # all, where every first vector had a vote 1/2. Of 200 runs .66 is 2.9 standard deviations below.
    finals = [
        boost_ladder(np.random.default_rng(seed), "parameter_free_ladder", n=65, private=0, checkpoints=(1,))[0, 0]
        for seed in range(200)
    ]
    assert np.mean(np.array(finals) < 0.5) > 0.66


def test_checkpoints_do_not_change_the_run() -> None:
    def final(checkpoints: tuple[int, ...]) -> float:
        losses = boost_disclosed(
            np.random.default_rng(9), n=801, private=0, checkpoints=checkpoints, weighings=[weigh_all]
        )
        return float(losses[0, -1, 0])

    # Weighted votes hardly ever tie, and only ties are drawn at a checkpoint.
    assert final((500,)) == pytest.approx(final((100, 200, 500)), abs=2 / 801)


def test_the_papers_own_points_are_within_what_five_runs_scatter() -> None:
    shared_data("ladder_paper")
    rows = experiment_named("ladder-fig1").run(Conditions(quick=True)).table.rows
    compared = [(float(str(row[3])), float(str(row[7]))) for row in rows if row[7] is not None]
    assert len(compared) == 2 * 40
    gaps = np.array(compared) @ [1, -1]
    # One standard error of a gap is .0079·√(1/5 + 1/5) = .005; of 80 gaps the largest is below 4.5 of them.
    assert np.abs(gaps).max() < 0.0225
    assert abs(gaps.mean()) < 0.005


@pytest.mark.parametrize(("attack", "k", "n"), [("boosting", 400, 4000), ("weighted boosting", 30_000, 4000)])
def test_the_overfit_formulas_are_normal_probabilities(attack: str, k: int, n: int) -> None:
    from scipy.stats import norm

    signal = math.sqrt(k / n / (math.pi if attack == "boosting" else 1))
    assert boosting_k.formula(attack, k, n) == pytest.approx(norm.cdf(signal) - 0.5, abs=1e-12)
    assert fig1.formula(400, 4000) == pytest.approx(0.5 - boosting_k.formula("boosting", 400, 4000))


@pytest.mark.parametrize("margin", [0.0, 0.3, 0.58, 0.6, 1.0])
def test_the_gain_after_misleading_answers_is_that_of_votes_drawn_from_their_law(margin: float) -> None:
    """A coordinate's vote given Z is right with ½ − Z/(2√n); summed over Z by quadrature instead of in closed form."""
    from scipy.stats import norm

    n, k = 10_000, 900
    signal = norm.expect(np.negative, ub=-2 * margin) + norm.expect(np.negative, lb=0, ub=2 * margin)
    share = norm.cdf(-2 * margin) + norm.cdf(2 * margin) - norm.cdf(0)
    mean, spread = k * signal / math.sqrt(n), math.sqrt(k * share)
    expected = boosting_theorem.expected_gain(k, n, margin=margin / math.sqrt(n))
    assert expected == pytest.approx(norm.cdf(mean / spread) - 0.5, abs=1e-6)
    assert (expected > 0) == (margin < math.sqrt(2 * math.log(2)) / 2)


# -- theorems ---------------------------------------------------------------------------------------------------------


def test_the_lower_bounds_two_cases_are_as_hard_to_tell_apart_as_it_says() -> None:
    """χ² of the mixture, exactly: ((1 + 4ε²)^n − 1)/k must be at most k^(−1/2)."""
    for n, k in ((250, 200), (1000, 1000), (16_000, 1000)):
        gain = thm.hidden_gain(n, k)
        assert ((1 + 4 * gain**2) ** n - 1) / k <= k**-0.5
        assert thm.lower_bound(n, k) < gain / 2


# -- real boards ------------------------------------------------------------------------------------------------------


def test_the_shipped_board_has_real_models_of_different_quality() -> None:
    (board,) = real_boards(Conditions(quick=True, shared=nothing_shared()))
    errors = (board.predictions != board.labels[:, None]).mean(axis=0)
    assert board.predictions.shape == (1200, 120)
    assert errors.min() < 0.04
    assert errors.max() > 0.25
    assert len(set(board.teams)) == 30


def test_a_played_board_shows_each_teams_best_submission() -> None:
    (board,) = real_boards(Conditions(quick=True, shared=nothing_shared()))
    played = play(board, np.random.default_rng(0))
    assert played.public_items == 360
    assert len(played.losses) == 840
    wrong = board.predictions != board.labels[:, None]
    for team, private in zip(played.teams, played.private["Kaggle"], strict=True):
        own = [submission for submission, name in enumerate(board.teams) if name == team]
        assert private >= wrong[:, own].mean(axis=0).min() - 0.1
    assert (played.public["Ladder"] >= played.public["Kaggle"] - 1e-5).all()
    assert [board.teams[leader] for leader in played.leaders] == list(played.teams)


@pytest.mark.parametrize("identifier", ["ladder-fig2", "slides-top10", "slides-ttest"])
def test_the_published_numbers_are_the_printed_ones_and_the_checks_of_them_can_fail(identifier: str) -> None:
    shared_data("ladder_paper")
    experiment = experiment_named(identifier)
    outcome = experiment.run(Conditions(quick=True))
    assert outcome.verdict.holds, outcome.verdict.sentence
    (printed,) = [check.statement for check in outcome.verdict.checks if check.kind == "printed number"]
    failed = {
        check.statement
        for control in experiment.controls
        for check in experiment.run(Conditions(quick=True, control=control)).verdict.checks
        if not check.holds
    }
    assert printed in failed


def test_published_corrections_are_nine_times_the_p_values() -> None:
    folder = shared_data("ladder_paper")
    from ladderboard_lab.experiments.shared_data import read_pairs

    plain, corrected = (dict(read_pairs(folder / f"top10pvals{end}.csv")) for end in ("", "bon"))
    assert [corrected[rank] for rank in range(2, 11)] == pytest.approx([9 * plain[rank] for rank in range(2, 11)])


def test_shared_data_that_is_not_there_is_not_found() -> None:
    assert find_shared_folder(Conditions(shared=nothing_shared()), "ladder_paper") is None


# -- Thresholdout -----------------------------------------------------------------------------------------------------


def test_correlations_of_variables_are_pearsons() -> None:
    rng = np.random.default_rng(2)
    variables, labels = rng.standard_normal((5, 200), dtype=np.float32), rng.choice([-1.0, 1.0], 200)
    expected = [np.corrcoef(row, labels)[0, 1] for row in variables]
    assert correlations(variables, labels) == pytest.approx(expected, abs=1e-5)


def test_informative_variables_are_selected_with_their_values() -> None:
    sample = Sample(2000, 500, has_signal=True, seed=3)
    selected = select(sample, None)
    # A shift of 6 standard errors is seen on both sets with a probability above .9999.
    assert set(range(20)) <= set(selected.variables.tolist())
    every = np.concatenate([block for _, block in sample.blocks()], axis=1)
    assert np.array_equal(selected.values, every[:, selected.variables])
    assert (np.diff(np.abs(correlations(selected.values[0], sample.labels[0]))) <= 1e-6).all()


def test_a_variable_on_the_fresh_set_does_not_depend_on_what_else_is_drawn() -> None:
    sample = Sample(100, 500, has_signal=True, seed=3)
    assert np.array_equal(sample.fresh(np.array([7, 300, 21]))[1], sample.fresh(np.array([300]))[0])


@pytest.mark.slow
def test_what_a_plain_holdout_tells_of_noise_is_predicted() -> None:
    numbers = quick("thresholdout-selection").verdict.numbers
    n, d = selection.SIZES["quick"]
    told = selection.formula(round(selection.SHARES[-1] * d), n)
    # Two runs of 1000 items: a standard error of .010; 4 of them.
    assert numbers["plain holdout, no signal, told"] == pytest.approx(told, abs=0.04)
    assert numbers["plain holdout, no signal, fresh"] == pytest.approx(0.5, abs=0.045)


# -- readings of boards, by hand --------------------------------------------------------------------------------------


def test_tied_votes_are_decided_by_coins() -> None:
    found = boosting_runs._signs(np.zeros(1000), np.random.default_rng(0))
    assert set(found) == {-1, 1}
    assert abs(found.mean()) < 0.2


def test_the_loss_of_a_vector_is_read_on_either_part_alone() -> None:
    final, labels = np.array([1, 1, -1, -1, -1]), np.array([1, -1, -1, 1, 1])
    assert boosting_runs._losses(final, labels, 2) == (1 / 2, 2 / 3)


def test_scores_of_a_split_are_those_of_its_two_halves() -> None:
    wrong, inside = np.array([[1.0], [0.0], [1.0], [1.0]]), np.array([[True, True, False, False]])
    assert [part.tolist() for part in fig3._score_parts(wrong, inside)] == [[[0.5]], [[1.0]]]


def test_halves_move_together_as_far_as_submissions_are_on_one_side() -> None:
    public, private = np.array([[0.2, 0.2, 0.2], [0.4, 0.4, 0.4]]), np.array([[0.1, 0.3, 0.3], [0.3, 0.3, 0.3]])
    halves = fig3._Halves("", public, private, public - private)
    assert halves.together.tolist() == pytest.approx([2 / 3, 1])
    assert halves.sd.tolist() == pytest.approx(
        [np.std([0.2, 0.4, 0.1, 0.3], ddof=1), *[np.std([2, 4, 3, 3], ddof=1) / 10] * 2]
    )


def test_teams_with_equal_scores_are_matched_from_the_last() -> None:
    kaggle, ladder = np.array([[0.1, 0.5], [0.2, 0.6], [0.2, 0.6]]), np.array([[0.2, 0.6], [0.2, 0.6], [0.15, 0.55]])
    assert top10.match_teams(kaggle, ladder).tolist() == [2, 0, 1]


def test_equal_scores_are_not_exchanged_and_nine_tests_are_corrected_for() -> None:
    assert ttest._count_exchanged(np.array([0.1, 0.1, 0.3, 0.2])) == 1
    assert ttest._Tests("", np.array([0.01, 0.2])).corrected.tolist() == [0.09, 1.0]
