import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

import ladderboard as lb
from ladderboard.core import bounds
from ladderboard.core.records import State
from ladderboard.inference.power import MANY_CHANGES, mcnemar_power, normal_mcnemar_power
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.planning.plan import OUTSIDER, PERMUTED, Simulate
from ladderboard.planning.submission_limits import LARGEST, Limit, OverfitCurve, largest_count, smallest_count
from ladderboard_lab.attacks.boosting import Boosting
from ladderboard_lab.attacks.hill_climb import HillClimb
from ladderboard_lab.attacks.weighted_boosting import WeightedBoosting
from ladderboard_lab.metric_adapters import AdaptedAttack, make_adapter
from ladderboard_lab.planning.simulator import Effort, PlanningSimulator, PlanningTask, StepForwardTask, plan_tasks
from ladderboard_lab.problems.permuted import permute_labels

BRIEF = Effort(seconds=2.0, repetitions=3)


def rule(plan: lb.SubmissionPlan, start: str) -> Limit:
    return next(limit for limit in plan.limits if limit.rule.startswith(start))


# -- what is proven ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "tolerance", "teams"), [(300_000, 0.05, 1), (300_000, 0.05, 30), (5000, 0.2, 1)])
def test_the_theorem_allows_k_and_not_one_more(n: int, tolerance: float, teams: int) -> None:
    k = rule(lb.plan_submissions(n=n, tolerance=tolerance, teams=teams), "Theorem").per_team
    assert k is not None
    assert 0 < k < LARGEST

    def error(k: int) -> float:
        step = bounds.best_step(n=n, k=k, delta=0.05 / teams)
        return bounds.ladder_error(step=step, n=n, k=k, delta=0.05 / teams)

    # The inverse is found on a continuous scale: to within a thousandth of k it is the last one allowed.
    assert error(k) <= tolerance
    assert error(math.ceil(1.001 * k) + 1) > tolerance


@pytest.mark.parametrize("mechanism", ["witness_ladder", "spending_ladder", "full_disclosure", "ladder"])
@pytest.mark.parametrize("teams", [1, 50])
def test_the_meter_allows_k_and_not_one_more(mechanism: str, teams: int) -> None:
    n, tolerance, accepts = 60_000, 0.03, 4
    plan = lb.plan_submissions(n=n, tolerance=tolerance, mechanism=mechanism, teams=teams, accepts=accepts)
    k = rule(plan, "the leakage meter with 4 accepts").per_team
    assert k is not None
    assert 0 < k < LARGEST
    yardstick = AnswerKey(np.arange(n) % 2, METRICS["error_rate"]).yardstick

    def bound(attempts: int) -> float:
        bits = lb.MECHANISMS[mechanism]().leakage(State(attempts, min(accepts, attempts)), yardstick).bits
        assert bits is not None
        return math.sqrt((bits * math.log(2) + math.log(2 * teams / 0.05)) / (2 * n))

    assert bound(k) <= tolerance < bound(k + 1)


def test_where_nothing_is_proven_the_plan_says_how_many_items_would_do() -> None:
    plan = lb.plan_submissions(n=628, base_rate=0.3, mechanism="spending_ladder")
    theorem, meter = rule(plan, "Theorem"), rule(plan, "the leakage meter")
    assert (theorem.per_team, meter.per_team, plan.per_team) == (0, 0, 0)
    assert theorem.items_needed is not None
    for n, allowed in ((theorem.items_needed, True), (theorem.items_needed - 1, False)):
        error = bounds.ladder_error(step=bounds.best_step(n=n, k=100), n=n, k=100)
        assert (error <= 0.02) == allowed
    assert meter.items_needed is not None
    # The grid is counted with whole steps, so that the meter of labels of that number is the same to a few items.
    enough = rule(
        lb.plan_submissions(n=round(1.01 * meter.items_needed), base_rate=0.3, mechanism="spending_ladder"),
        "the leakage meter",
    ).per_team
    short = rule(
        lb.plan_submissions(n=round(0.98 * meter.items_needed), base_rate=0.3, mechanism="spending_ladder"),
        "the leakage meter",
    ).per_team
    assert enough is not None
    assert short is not None
    assert short < 100 <= enough
    assert "simulate attacks" in plan.sentence()


def test_rules_that_say_nothing_say_why() -> None:
    plan = lb.plan_submissions(n=628, metric="mse")
    assert rule(plan, "Theorem").note == "stated for means of bounded losses, which mse is not"
    said = "stated for means of bounded losses, AUC and balanced accuracy; mse is none of them"
    assert rule(plan, "the leakage meter").note == said
    assert plan.per_team is None
    assert plan.in_total is None
    assert plan.sentence().startswith("No rule says how many submissions 628 items bear")


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 7, 1000, 12345])
def test_counts_are_found_exactly(limit: int) -> None:
    assert largest_count(lambda k: k <= limit) == limit
    assert smallest_count(lambda n: n >= max(1, limit)) == max(1, limit)


def test_counts_end_at_the_largest_that_is_told_apart() -> None:
    assert largest_count(lambda _: True) == LARGEST
    assert smallest_count(lambda _: False) is None


# -- the mechanism, what it sees, and the public part -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "mechanism"), [(20, "spending_ladder"), (200, "spending_ladder"), (2000, "witness_ladder")]
)
def test_the_mechanism_follows_from_what_its_entry_test_sees(n: int, mechanism: str) -> None:
    plan = lb.plan_submissions(n=n)
    assert plan.mechanism.name == mechanism
    assert lb.plan_submissions(n=n, mechanism="ladder").reason == "as given"


def test_labels_that_cannot_be_halved_get_the_spending_ladder() -> None:
    plan = lb.plan_submissions([0, 0, 1])
    assert plan.mechanism.name == "spending_ladder"
    assert plan.reason == "the items are too few for witness_ladder"


def test_the_entry_power_is_that_of_the_theory_page() -> None:
    # n = 200, .5 → .4 at the first attempt; the Witness Ladder's gate has 67 items.
    plan = lb.plan_submissions(n=200, mechanism="witness_ladder")
    assert plan.entry_power == pytest.approx(mcnemar_power(units=67, baseline=0.5, candidate=0.4))
    assert plan.entry_power == pytest.approx(0.19, abs=0.01)


@pytest.mark.parametrize("n", [100, 628, 1500])
def test_the_smallest_visible_improvement_has_eighty_per_cent_power_and_a_smaller_one_has_not(n: int) -> None:
    for gain in lb.plan_submissions(n=n, base_rate=0.4, mechanism="witness_ladder").detectable_gains:
        assert gain.improvement is not None

        def power(improvement: float, alpha: float = 0.05 / gain.attempt) -> float:
            return mcnemar_power(units=round(n / 3), baseline=0.4, candidate=0.4 - improvement, alpha=alpha)

        assert power(gain.improvement) >= 0.8
        assert power(0.98 * gain.improvement) < 0.8


@pytest.mark.parametrize("units", [2100, 3000, 20_000])
def test_the_normal_power_of_mcnemar_is_as_good_where_many_items_change(units: int) -> None:
    for baseline in (0.1, 0.3, 0.5):
        for part in np.linspace(0.01, 0.6, 25):
            for alpha in (0.05, 0.0005):
                case = {"units": units, "baseline": baseline, "candidate": (1 - part) * baseline, "alpha": alpha}
                changes = units * (baseline + case["candidate"] - 2 * baseline * case["candidate"])
                if changes >= MANY_CHANGES:
                    assert normal_mcnemar_power(**case) == pytest.approx(mcnemar_power(**case), abs=0.002)


def test_means_are_seen_from_so_many_standard_errors_on() -> None:
    plan = lb.plan_submissions(n=400, metric="mse", mechanism="spending_ladder")
    yardstick = AnswerKey(stats.norm.ppf((np.arange(400) + 0.5) / 400), METRICS["mse"]).yardstick
    z = stats.norm.isf(0.05) + stats.norm.ppf(0.8)
    (first, *_) = plan.detectable_gains
    assert first.improvement == pytest.approx(z * yardstick.null_standard_error / yardstick.baseline_score, rel=0.01)
    assert first.curve[-1][1] > 0.99


def test_a_mechanism_without_an_entry_test_is_given_what_the_items_can_tell() -> None:
    plan = lb.plan_submissions(n=1000, mechanism="full_disclosure")
    assert plan.entry_power is None
    assert len(plan.detectable_gains) == 1
    assert plan.detectable_gains[0].improvement is not None
    assert mcnemar_power(units=1000, baseline=0.5, candidate=0.5 - plan.detectable_gains[0].improvement) >= 0.8


def test_the_public_part_is_the_smallest_that_its_rule_allows() -> None:
    part = lb.plan_submissions(n=4000, mechanism="witness_ladder", tolerance=0.02).public_part
    assert part.is_enough
    assert part.wanted == pytest.approx(0.1)
    chosen = part.splits.index(part.recommended)
    before = part.splits[chosen - 1]
    assert part.recommended.public_standard_error == pytest.approx(
        0.5 / math.sqrt(part.recommended.public_items), rel=1e-3
    )
    assert part.recommended.public_standard_error <= 0.02
    assert mcnemar_power(units=part.recommended.public_items // 3, baseline=0.5, candidate=0.4) >= 0.8
    assert (
        before.public_standard_error > 0.02
        or mcnemar_power(units=before.public_items // 3, baseline=0.5, candidate=0.4) < 0.8
    )
    for split in part.splits:
        assert split.public_items + split.private_items == 4000


def test_a_small_test_set_is_split_in_half_and_told_that_this_is_too_little() -> None:
    part = lb.plan_submissions(n=300).public_part
    assert (part.recommended.share, part.is_enough) == (0.5, False)
    assert "misses gains that it should recognise" in part.sentence()


# -- what is given ----------------------------------------------------------------------------------------------------


def test_labels_and_their_number_give_the_same_plan() -> None:
    labels = np.random.default_rng(0).permutation(np.arange(500) < 150)
    assert lb.plan_submissions(labels) == lb.plan_submissions(n=500, base_rate=0.3)


CANNOT_BE_MADE_UP = {name for name, one in METRICS.items() if one.kind.has_columns or one.kind.has_texts} | {"c_index"}


@pytest.mark.parametrize("metric", sorted(set(METRICS) - CANNOT_BE_MADE_UP))
def test_every_metric_of_one_column_but_survival_can_be_planned_without_labels(metric: str) -> None:
    plan = lb.plan_submissions(n=120, metric=metric)
    assert (plan.items, plan.metric) == (120, metric)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give the labels, or n"),
        ({"labels": [0, 1], "n": 2}, "give the labels, or n"),
        ({"labels": [0, 1] * 20, "base_rate": 0.5}, "leave base_rate out"),
        ({"n": 5}, "a plan needs at least 10 items"),
        ({"n": 100, "base_rate": 0.0}, "at least one of each class"),
        ({"n": 100, "base_rate": 0.3, "metric": "mse"}, "a base rate is for two classes"),
        ({"n": 100, "metric": "c_index"}, "give the labels"),
        (
            {"n": 100, "metric": "mean_columnwise_auc"},
            "takes several columns, which cannot be made up; give the labels",
        ),
        ({"n": 100, "metric": "ndcg"}, "takes texts, which cannot be made up; give the labels"),
        ({"n": 100, "tolerance": 0}, "tolerance is 0"),
        ({"n": 100, "teams": 0}, "teams must be at least 1"),
        ({"n": 100, "metric": "acuracy"}, "did you mean accuracy"),
        ({"n": 100, "mechanism": "lader"}, "did you mean ladder"),
        ({"n": 100, "metric": "mse", "mechanism": "ladder"}, "give step_size"),
    ],
)
def test_what_cannot_be_planned_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(lb.InputError, match=message):
        lb.plan_submissions(**arguments)  # type: ignore[arg-type]  # a table of calls


# -- simulated limits -------------------------------------------------------------------------------------------------


def curve(attacker: str, overfits: tuple[float, ...]) -> OverfitCurve:
    counts = tuple(10**power for power in range(len(overfits)))
    zeros = (0.0,) * len(overfits)
    return OverfitCurve(attacker, "attack", "", counts, overfits, zeros, (9,) * len(overfits))  # type: ignore[arg-type]


def simulated(*curves: OverfitCurve) -> Simulate:
    return lambda *_, **__: curves


def test_the_attack_that_breaks_the_tolerance_first_decides() -> None:
    weak, strong = curve("outsider", (0.0, 0.01, 0.03)), curve("outsider", (0.0, 0.025, 0.03))
    plan = lb.plan_submissions(n=500, teams=3, simulate=simulated(weak, strong, curve("insider", (0.5, 0.5, 0.5))))
    assert (plan.per_team, plan.in_total, plan.is_at_least, plan.basis) == (1, 3, False, OUTSIDER)
    assert rule(plan, "the strongest attack by one who holds").per_team == 0
    harmless = lb.plan_submissions(n=500, simulate=simulated(curve("outsider", (0.0, 0.0, 0.01))))
    assert (harmless.per_team, harmless.is_at_least) == (100, True)
    assert "no attack without knowledge of labels that was tried overstates by more than 0.02" in harmless.sentence()
    assert harmless.sentence().endswith("the trials had 100 submissions per team.")


def test_the_headline_names_what_somebody_who_holds_labels_can_do() -> None:
    trials = simulated(curve("outsider", (0.0, 0.0, 0.01)), curve("insider", (0.0, 0.0, 0.5)))
    said = lb.plan_submissions(n=500, simulate=trials).sentence()
    assert said.endswith("Somebody who holds half of the labels stays within it for 10 submissions only.")


def test_the_length_of_a_trial_never_decides_while_another_attack_has_a_limit() -> None:
    zeros = (0.0, 0.0)
    short = OverfitCurve("permuted responses", "attack", "", (1, 3), zeros, zeros, (9, 9))
    both = simulated(curve("outsider", (0.0, 0.01, 0.03)), short)
    plan = lb.plan_submissions(n=500, metric="pearson", simulate=both)
    assert (plan.per_team, plan.is_at_least, plan.basis) == (10, False, OUTSIDER)


def test_permuted_responses_decide_where_they_allow_less() -> None:
    both = simulated(curve("outsider", (0.0, 0.0, 0.0)), curve("permuted responses", (0.0, 0.03, 0.03)))
    plan = lb.plan_submissions(n=500, metric="pearson", simulate=both)
    assert (plan.per_team, plan.basis) == (1, PERMUTED)


def test_what_is_proven_decides_where_it_allows_more() -> None:
    plan = lb.plan_submissions(n=200_000, simulate=simulated(curve("outsider", (0.0, 0.0, 0.0))))
    assert plan.basis == "the leakage meter with 5 accepts"
    assert plan.per_team is not None
    assert plan.per_team > 10_000


@pytest.mark.parametrize("seed", range(5))
def test_smoothing_is_isotonic_regression(seed: int) -> None:
    from sklearn.isotonic import IsotonicRegression

    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 20, 8)
    overfits = tuple(np.round(rng.normal(0, 1, 8) + np.arange(8) / 4, 3).tolist())
    told = OverfitCurve("outsider", "a", "", tuple(range(8)), overfits, (0.0,) * 8, tuple(weights.tolist())).smoothed
    peer = IsotonicRegression().fit(np.arange(8), overfits, sample_weight=weights).predict(np.arange(8))
    assert told == pytest.approx(peer)


# -- the laboratory's simulator ---------------------------------------------------------------------------------------


def runs(attack: "lb.Mechanism | object", mechanism: lb.Mechanism, *, n: int, k: int, repetitions: int) -> list[float]:
    labels = np.arange(n) % 2
    task = PlanningTask(labels, METRICS["error_rate"], mechanism, "outsider", attack, False, k)  # type: ignore[arg-type]
    return [task.run(seed) for seed in np.random.SeedSequence(7).spawn(repetitions)]


@pytest.mark.claim
@pytest.mark.parametrize(
    ("attack", "expected"),
    [
        (Boosting(), stats.norm.cdf(math.sqrt(300 / (math.pi * 600))) - 0.5),
        (WeightedBoosting(), stats.norm.cdf(math.sqrt(300 / 600)) - 0.5),
        (HillClimb(2), 300 / (2 * (600 + 300))),
    ],
    ids=["boosting", "weighted boosting", "pair flip"],
)
def test_simulated_attacks_reach_what_theory_expects_of_full_disclosure(attack: object, expected: float) -> None:
    # Twelve runs; each has a standard deviation of about .02 (one standard error of 600 items), their mean .006. Four
    # of those and .01 for the formulas' own error: a false alarm less than once in ten thousand.
    found = runs(attack, lb.FullDisclosure(), n=600, k=300, repetitions=12)
    assert np.mean(found) == pytest.approx(expected, abs=4 * 0.006 + 0.01)


@pytest.mark.claim
def test_the_recommended_number_keeps_the_overfit_within_the_tolerance_on_fresh_runs() -> None:
    plan = lb.plan_submissions(n=400, tolerance=0.03, simulate=PlanningSimulator(BRIEF, seed=1))
    assert plan.per_team is not None
    assert plan.per_team >= 10
    # Other seeds than the plan's. The limit is a bound on means of a few runs; those of twenty fresh ones are within it
    # with four standard errors of .02/√20 to spare: a false alarm less than once in ten thousand for each attack.
    for attack in (Boosting(), WeightedBoosting(), HillClimb(None)):
        fresh = runs(attack, plan.mechanism, n=400, k=plan.per_team, repetitions=20)
        assert np.mean(fresh) <= 0.03 + 4 * 0.02 / math.sqrt(20)


def test_full_disclosure_is_found_to_bear_next_to_nothing() -> None:
    plan = lb.plan_submissions(n=400, mechanism="full_disclosure", simulate=PlanningSimulator(BRIEF))
    assert plan.per_team is not None
    assert plan.per_team <= 3
    strongest = max(curve.smoothed[-1] for curve in plan.curves if curve.attacker == "outsider")
    assert strongest > 0.04


def test_the_same_seed_gives_the_same_plan_on_any_number_of_workers() -> None:
    brief = Effort(seconds=0.5, repetitions=2)
    plans = [
        lb.plan_submissions(n=100, simulate=PlanningSimulator(brief, workers=workers, seed=3)) for workers in (1, 2)
    ]
    assert plans[0] == plans[1]
    assert plans[0] != lb.plan_submissions(n=100, simulate=PlanningSimulator(brief, seed=4))


def test_progress_is_told_after_every_run() -> None:
    told: list[tuple[int, int]] = []
    brief = Effort(seconds=0.2, repetitions=2)
    lb.plan_submissions(
        n=60, simulate=PlanningSimulator(brief), progress=lambda done, total: told.append((done, total))
    )
    assert told == [(done, len(told)) for done in range(1, len(told) + 1)]


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "auc", "log_loss", "brier", "mse", "spearman", "rmsle"])
def test_every_kind_of_metric_is_attacked_by_outsiders_and_insiders(metric: str) -> None:
    labels = np.random.default_rng(0).permutation(np.arange(80) % 2).astype(float)
    plan = lb.plan_submissions(
        labels, metric, 0.1, mechanism="full_disclosure", simulate=PlanningSimulator(Effort(seconds=0.1, repetitions=2))
    )
    assert {curve.attacker for curve in plan.curves} >= {"outsider", "insider"}
    assert any(curve.attacker == "permuted responses" for curve in plan.curves) == (
        metric in {"auc", "mse", "spearman"}
    )
    strongest = max((c for c in plan.curves if c.attacker == "outsider"), key=lambda curve: curve.smoothed[-1])
    assert strongest.smoothed[-1] > 0


@pytest.mark.parametrize(("metric", "classes"), [("log_loss", 3), ("error_rate", 200)])
def test_every_attack_in_a_plan_can_send_what_the_metric_takes_of_many_classes(metric: str, classes: int) -> None:
    labels = np.arange(400) % classes
    for task in plan_tasks(labels, METRICS[metric], lb.WitnessLadder(), teams=1, effort=Effort(0.1, repetitions=1)):
        if task.submissions == 1:
            assert np.isfinite(task.run(np.random.SeedSequence(1)))


def test_an_attack_that_finds_nothing_has_no_overfit_rather_than_none_that_is_known() -> None:
    labels = np.random.default_rng(2).normal(size=150)
    brief = PlanningSimulator(Effort(seconds=0.5, repetitions=2))
    plan = lb.plan_submissions(labels, "spearman", 0.05, mechanism="witness_ladder", simulate=brief)
    assert all(np.isfinite(curve.overfits).all() for curve in plan.curves)
    (stepwise,) = (curve for curve in plan.curves if curve.attacker == "permuted responses")
    assert stepwise.largest_within(0.05) == stepwise.submissions[-1]


def test_three_classes_survival_times_and_metrics_of_ones_own_are_attacked_too() -> None:
    rng, brief = np.random.default_rng(1), PlanningSimulator(Effort(seconds=0.1, repetitions=2))
    three = lb.plan_submissions(np.arange(90) % 3, "error_rate", 0.1, mechanism="full_disclosure", simulate=brief)
    assert any(curve.attack == "multiclass" for curve in three.curves)
    assert any(curve.attack == "boosting" for curve in three.curves)
    times = np.column_stack([rng.exponential(size=60), rng.integers(0, 2, 60)])
    survival = lb.plan_submissions(times, "c_index", 0.1, mechanism="full_disclosure", simulate=brief)
    assert any(curve.attacker == "outsider" for curve in survival.curves)
    own = lb.metric_from_function(lambda y, p: float(np.mean(np.abs(y - p) ** 3)), lower_is_better=True, name="cubes")
    cubes = lb.plan_submissions(rng.normal(size=60), own, 0.1, mechanism="full_disclosure", simulate=brief)
    assert cubes.metric == "cubes"
    assert cubes.curves


def test_accounts_are_counted_up_to_the_number_of_teams() -> None:
    brief = PlanningSimulator(Effort(seconds=0.2, repetitions=2))
    plan = lb.plan_submissions(n=100, teams=5, mechanism="parameter_free_ladder", simulate=brief)
    (sybil,) = (curve for curve in plan.curves if curve.attacker == "accounts")
    assert sybil.submissions[-1] == 5
    alone = lb.plan_submissions(n=100, mechanism="parameter_free_ladder", simulate=brief)
    assert not any(curve.attacker == "accounts" for curve in alone.curves)


def test_more_seconds_mean_larger_budgets_and_more_runs_of_small_ones() -> None:
    def budgets(seconds: float, n: int = 500) -> dict[int, int]:
        tasks = plan_tasks(
            np.arange(n) % 2, METRICS["error_rate"], lb.WitnessLadder(), teams=1, effort=Effort(seconds, 5)
        )
        boosts = [
            task.submissions for task in tasks if isinstance(task, PlanningTask) and task.attack.name == "boosting"
        ]
        return {budget: boosts.count(budget) for budget in sorted(set(boosts))}

    little, much = budgets(2.0), budgets(60.0)
    assert max(little) < max(much)
    assert list(little.values()) == sorted(little.values(), reverse=True)
    assert min(much.values()) >= 5
    assert max(budgets(60.0, n=1_000_000)) < max(much)


def test_step_forward_runs_are_in_the_units_of_the_metric() -> None:
    y = np.random.default_rng(2).normal(5, 3, 200)
    effort = Effort(seconds=1.0, repetitions=2)
    units = {}
    for metric in ("mse", "rmse", "pearson"):
        tasks = plan_tasks(y, METRICS[metric], lb.WitnessLadder(), teams=1, effort=effort)
        units[metric] = next(task.unit for task in tasks if isinstance(task, StepForwardTask))
    assert units == pytest.approx({"mse": np.var(y), "rmse": np.std(y), "pearson": 1.0})


# -- shuffled labels and adapters -------------------------------------------------------------------------------------


def test_shuffled_classes_are_even_and_their_true_error_is_exact() -> None:
    rng = np.random.default_rng(0)
    labels = np.array(["yes"] * 10 + ["no"] * 90)
    problem = permute_labels(rng, labels, METRICS["error_rate"], known_share=0.3)
    assert problem.labels.mean() == 0.5
    guess = rng.integers(0, 2, 100)
    known = problem.briefing.known_items
    unknown = np.setdiff1d(np.arange(100), known)
    shares = np.array([np.mean(problem.labels[unknown] == c) for c in (0, 1)])
    expected = (np.sum(guess[known] != problem.labels[known]) + np.sum(1 - shares[guess[unknown]])) / 100
    assert problem.true_score(guess) == pytest.approx(expected)


def test_the_true_score_of_other_metrics_is_a_mean_over_shuffles() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(2, 3, 500)
    problem = permute_labels(rng, y, METRICS["mse"])
    guess = rng.normal(0, 1, 500)
    expected = np.var(y) + np.mean((guess - y.mean()) ** 2)
    # The covariance of a shuffle is 2·sd(y)·sd(p)/√n = .27; of the mean over 32 shuffles .047: four of those.
    assert problem.true_score(guess) == pytest.approx(expected, abs=4 * 0.047)
    assert sorted(problem.labels) == pytest.approx(sorted(y))


@pytest.mark.parametrize("metric", ["accuracy", "auc", "log_loss", "mse", "r2", "rmsle"])
def test_an_adapter_shows_one_half_by_chance_and_less_to_better_bits(metric: str) -> None:
    rng = np.random.default_rng(3)
    labels = rng.permutation(np.arange(400) % 2).astype(float)
    problem = permute_labels(rng, labels, METRICS[metric], known_share=1.0)
    adapter = make_adapter(problem)
    bits = np.asarray(adapter.briefing.known_labels)
    seen = dict(zip(adapter.briefing.known_items.tolist(), bits.tolist(), strict=True))
    right = np.array([seen[item] for item in range(400)])

    def loss(bits: object) -> float:
        found = adapter.loss(METRICS[metric].score(problem.labels, adapter.predictions(bits)))  # type: ignore[arg-type]
        assert found is not None
        return found

    middle = [loss(rng.integers(0, 2, 400)) for _ in range(50)]
    assert np.mean(middle) == pytest.approx(0.5, abs=0.5 - loss(right))
    assert loss(right) < min(middle) < max(middle) < loss(1 - right)
    assert adapter.loss(None) is None


def test_a_disguised_attack_is_the_attack_itself_where_nothing_is_to_hide() -> None:
    rng = np.random.default_rng(4)
    problem = permute_labels(rng, np.arange(200) % 2, METRICS["error_rate"])
    results = []
    for attack in (Boosting(), AdaptedAttack(Boosting(), make_adapter(problem))):
        participant = problem.open_board(lb.FullDisclosure(), seed=1)
        assert attack.misfit(problem.briefing) is None
        results.append((attack.run(participant, budget=50, rng=np.random.default_rng(5)), participant.shown))
    assert np.array_equal(results[0][0], results[1][0])
    assert results[0][1] == results[1][1]


def test_a_plan_is_a_value() -> None:
    plan = lb.plan_submissions(n=100)
    assert dataclasses.replace(plan, teams=2) != plan
    assert hash(plan) == hash(lb.plan_submissions(n=100))
