"""A run measures an attack against the truth; an honest result measures what caution costs. Worked by hand."""

from typing import Literal

import numpy as np
import pytest

import ladderboard as lb
from ladderboard_lab.arena.honest import HonestResult, show_stream
from ladderboard_lab.attack_runs import AttackRun, attack_board, choose_problem, make_problem
from ladderboard_lab.attack_trace import AttackTrace, draw_trace
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.attacks.boosting import Boosting
from ladderboard_lab.attacks.coordinate_probe import CoordinateProbe
from ladderboard_lab.attacks.insiders.look import Look
from ladderboard_lab.attacks.log_loss_oracle import LogLossOracle
from ladderboard_lab.attacks.repeat_averaging import RepeatAveraging
from ladderboard_lab.attacks.split_membership import SplitMembership
from ladderboard_lab.attacks.sybil import Sybil
from ladderboard_lab.problems.streams import Stream


def run_attack(
    attack: Attack,
    mechanism: lb.Mechanism,
    *,
    n: int = 200,
    k: int = 60,
    watch: AttackTrace | None = None,
    board: Literal["team", "rank"] = "team",
    seed: int = 1,
) -> AttackRun:
    problem_seed, bout_seed = np.random.SeedSequence(seed).spawn(2)
    _, problem = choose_problem(attack, np.random.default_rng(problem_seed), n=n)
    return attack_board(attack, mechanism, problem, budget=k, seed=bout_seed, watch=watch, board=board)


def test_the_final_vector_is_submitted_as_the_last_of_k_and_counts_on_the_board() -> None:
    run = run_attack(CoordinateProbe(), lb.FullDisclosure(), n=200, k=300)
    assert run.submissions == 202  # zeros, one for each item, the final vector
    assert run.overfit == run.final_overfit == 0.5
    assert run.overfit_before_final is not None
    assert run.overfit_before_final < 0.2
    assert run.revealed == 1.0


def test_accounts_are_readings_where_each_has_an_instance_and_not_where_each_rank_has() -> None:
    # A ranked board lets noise in with one of 40 seeds, and then goes on: three of five would be 1 in 6,000.
    def accepts(board: Literal["team", "rank"]) -> list[int]:
        runs = (run_attack(Sybil(), lb.WitnessLadder(), n=200, k=300, board=board, seed=seed) for seed in range(1, 6))
        return sorted(run.accepts for run in runs)

    assert accepts("team")[2] >= 2
    assert accepts("rank")[2] == 0


def test_a_budget_is_kept_with_the_final_vector() -> None:
    run = run_attack(Boosting(), lb.FullDisclosure(), k=60)
    assert run.submissions == 60
    assert run.bits == pytest.approx(60 * np.log2(100_002))


def test_a_mechanism_that_cannot_serve_the_metric_is_reported_as_such() -> None:
    run = run_attack(LogLossOracle(), lb.Ladder())
    assert run.status == "refused"
    assert "log_loss is not bounded" in run.reason
    assert run.overfit is None


def test_a_spent_budget_ends_the_attack_and_what_was_shown_last_counts() -> None:
    run = run_attack(Boosting(), lb.Thresholdout(budget=5), k=60)
    assert run.status == "spent"
    assert run.submissions < 60
    assert run.overfit is not None
    assert run.final_overfit is None


def test_where_nothing_is_accepted_the_board_shows_the_baseline() -> None:
    run = run_attack(Boosting(), lb.WitnessLadder(), k=3)
    assert run.accepts == 0
    # The majority class of 200 fair coins is right on half of them and a little more.
    assert run.overfit is not None
    assert -0.02 < run.overfit < 0.15


def test_revealed_shares_and_estimates_are_measured_by_what_the_attack_was_after() -> None:
    assert run_attack(SplitMembership(), lb.FullDisclosure(), n=50, k=200).revealed == 1.0
    assert run_attack(SplitMembership(), lb.SpendingLadder(), n=50, k=200).revealed == 0.0
    exact = run_attack(RepeatAveraging(), lb.FullDisclosure())
    assert exact.estimate_error == pytest.approx(0.0, abs=1e-5)
    assert exact.final_overfit is None
    assert run_attack(RepeatAveraging(), lb.WitnessLadder()).estimate_error is None


def test_an_attack_is_refused_where_it_does_not_fit_the_problem() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(lb.ParameterError, match="look does not fit coin_flips with n = 100: it needs a competitor"):
        make_problem("coin_flips", Look(), rng, n=100)
    with pytest.raises(lb.ParameterError, match="n is 20; the laboratory needs at least 30"):
        choose_problem(Boosting(), rng, n=20)


def test_a_trajectory_has_one_entry_for_each_submission_of_all_accounts() -> None:
    trace = AttackTrace()
    run = run_attack(Sybil(), lb.FullDisclosure(), k=20, watch=trace)
    assert len(trace.shown) == len(trace.true) == run.submissions == 20
    assert trace.shown[:-1] == [None] * 19
    assert trace.shown[-1] is not None
    trace = AttackTrace()
    run_attack(Boosting(), lb.FullDisclosure(), k=20, watch=trace)
    shown = [value for value in trace.shown if value is not None]
    assert shown == sorted(shown, reverse=True)
    assert len(trace.list_changes()) == len(set(shown))
    svg, png = draw_trace(trace, title="boosting", metric="error_rate")
    assert "error rate" in svg
    assert png.startswith(b"\x89PNG")


# -- honest streams ---------------------------------------------------------------------------------------------------


def stream_with_errors(*shares: float, teams: tuple[int, ...] | None = None) -> Stream:
    """100 alternating labels; each submission errs on the first of them, and its true loss is said to be that share."""
    labels = (np.arange(100) % 2).astype(np.int8)
    wrong = [labels ^ (np.arange(100) < 100 * share) for share in shares]
    return Stream(labels, np.array(teams or (0,) * len(shares)), np.array(shares), lambda: iter(wrong))


def shown_by(mechanism: lb.Mechanism, stream: Stream) -> HonestResult:
    return show_stream(stream, {"it": mechanism}, seed=0)["it"]


def test_full_disclosure_shows_a_stream_without_sampling_error_exactly() -> None:
    result = shown_by(lb.FullDisclosure(), stream_with_errors(0.3, 0.2, 0.25, 0.1))
    assert result == HonestResult("ok", mean_error=0.0, leaderboard_error=0.0, lag=0.0, accepts=3)


def test_a_coarse_ladder_lags_behind_by_the_submissions_it_did_not_take_up() -> None:
    # η = .1 takes .3, refuses .25 (not .1 better), takes .1: errors 0, .05, 0; one better submission is missed once.
    result = shown_by(lb.Ladder(step_size=0.1), stream_with_errors(0.3, 0.25, 0.1))
    assert result.mean_error == pytest.approx(0.05 / 3)
    assert result.leaderboard_error == pytest.approx(0.05)
    assert result.lag == pytest.approx(1 / 3)
    assert result.accepts == 2


def test_each_team_is_compared_with_its_own_best_and_ranks_with_the_true_ones() -> None:
    stream = stream_with_errors(0.3, 0.4, 0.2, 0.1, teams=(0, 1, 0, 1))
    result = shown_by(lb.FullDisclosure(), stream)
    assert result.mean_error == 0.0
    assert result.kendall_tau == 1.0


def test_teams_without_an_order_have_no_agreement() -> None:
    assert shown_by(lb.FullDisclosure(), stream_with_errors(0.3, 0.3, teams=(0, 1))).kendall_tau is None


def test_a_mechanism_that_asks_for_training_scores_is_not_shown_honest_streams() -> None:
    result = shown_by(lb.Thresholdout(), stream_with_errors(0.3, 0.2))
    assert result.status == "refused"
    assert "training" in result.reason


def test_a_spent_board_keeps_its_last_number() -> None:
    mechanism = lb.ShakyLadder(step_size=0.5, noise=1e-9)  # ⌈1/η⌉ = 2 updates
    result = shown_by(mechanism, stream_with_errors(0.4, 0.39, 0.0, 0.0))
    assert result.status in ("ok", "spent")
    assert result.accepts <= 2
    assert result.leaderboard_error is not None


def test_where_nothing_was_accepted_the_board_is_about_the_baseline() -> None:
    problem_seed, seed = np.random.SeedSequence(1).spawn(2)
    _, problem = choose_problem(Boosting(), np.random.default_rng(problem_seed), n=100)
    watch = AttackTrace()
    run = attack_board(Boosting(), lb.WitnessLadder(), problem, budget=5, seed=seed, watch=watch)
    assert run.accepts == 0
    assert run.overfit == pytest.approx(problem.true_baseline_score() - watch.shown[-1])  # type: ignore[operator]
    assert run.overfit != 0
