"""The orderings of the theory's table, in an arena of reduced size: who falls to what, and what caution costs."""

import pytest

from ladderboard_lab.arena.arena import Plan, run_arena
from ladderboard_lab.arena.summary import ArenaSummary, summarise

pytestmark = [pytest.mark.claim, pytest.mark.slow]

PLAN = Plan(
    n=1000,
    k=2000,
    repetitions=1,
    stream_repetitions=6,
    mechanisms=(
        "full_disclosure",
        "ladder_.02",
        "parameter_free",
        "significance_.01",
        "shaky",
        "spending",
        "witness",
    ),
    attacks=("boosting", "hill_climb", "padding", "look", "combo"),
    streams=("nested", "correlated", "independent", "realistic"),
    seed=1,
)


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> ArenaSummary:
    return summarise(run_arena(PLAN, tmp_path_factory.mktemp("arena"), workers=2, quiet=True))


def overfit(summary: ArenaSummary, mechanism: str, attack: str) -> float:
    found = summary.strongest(mechanism, attack).overfit
    assert found is not None
    return found


# Overfits of one run have standard deviations of at most .02 (.5/√n is .016); the gaps asserted here are three of them
# and more, measured over the seeds of tests/lab/attacks/test_attack_figures.py and test_attack_oracles.py.


def test_boosting_climbs_full_disclosure_and_no_ladder(summary: ArenaSummary) -> None:
    # Φ(√(k/(πn))) − ½ = .287 once the final vector is submitted; ladders show the best of k, SE₀√(2 ln k) = .06.
    assert overfit(summary, "full_disclosure", "boosting") > 0.2
    for mechanism in list(PLAN.make_mechanisms())[1:]:
        assert overfit(summary, mechanism, "boosting") < 0.1


def test_the_hill_climb_breaks_what_has_no_step_or_one_that_shrinks(summary: ArenaSummary) -> None:
    # k/(2(n + k)) = .333 for a pair.
    assert overfit(summary, "full_disclosure", "hill_climb") > 0.25
    assert overfit(summary, "parameter_free", "hill_climb") > 0.25
    assert 0.04 < overfit(summary, "significance_.01", "hill_climb") < 0.25
    for mechanism in ("ladder_.02", "shaky", "spending", "witness"):
        assert overfit(summary, mechanism, "hill_climb") < 0.1


def test_padding_breaks_gates_that_test_on_what_they_report_and_not_the_witness(summary: ArenaSummary) -> None:
    for mechanism in ("parameter_free", "significance_.01"):
        assert overfit(summary, mechanism, "padding") > 0.1
    for mechanism in ("ladder_.02", "spending"):
        assert overfit(summary, mechanism, "padding") > 0.04
    assert overfit(summary, "witness", "padding") < overfit(summary, "parameter_free", "padding") - 0.06


def test_of_the_insiders_the_combo_is_worst_for_the_witness_and_still_below_the_others(summary: ArenaSummary) -> None:
    assert overfit(summary, "witness", "combo") < 0.09
    for mechanism in ("parameter_free", "ladder_.02"):
        assert overfit(summary, mechanism, "combo") > overfit(summary, "witness", "combo")


def test_the_worst_case_of_the_witness_is_below_every_published_ladders_but_the_shaky_ones(
    summary: ArenaSummary,
) -> None:
    worst = {row.mechanism: row.worst_overfit or 0.0 for row in summary.mechanisms}
    for mechanism in ("full_disclosure", "parameter_free", "significance_.01"):
        assert worst["witness"] < worst[mechanism] / 1.5


def test_honest_teams_pay_least_to_full_disclosure_and_most_to_the_shaky_ladder(summary: ArenaSummary) -> None:
    # Means over 24 streams have a relative standard error of about 5 %.
    ratios = {row.mechanism: row.honest_ratio or 0.0 for row in summary.mechanisms}
    assert ratios["full_disclosure"] == 1.0
    assert 0.8 < ratios["parameter_free"] < 1.4
    assert ratios["witness"] < 2.5
    assert ratios["shaky"] > ratios["witness"]
    assert ratios["shaky"] > ratios["ladder_.02"]


def test_bits_are_fewest_where_least_is_told(summary: ArenaSummary) -> None:
    bits = {row.mechanism: row.most_bits for row in summary.mechanisms}
    told = {name: value for name, value in bits.items() if value is not None}
    assert max(told, key=told.__getitem__) == "full_disclosure"
    assert told["witness"] < told["parameter_free"] / 3
