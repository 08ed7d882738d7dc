"""Records among noisy runs: seeds are in the test, the luck of the record before is deducted, and equals set none."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import ladderboard as lb
from ladderboard.analysis.noisy_records import judge_noisy_records
from ladderboard.cli.main import cli
from ladderboard.evals.loss_matrix import Repeats
from ladderboard.inference.covariance import paired_means
from tests.claims.noisy_records import Design, draw_runs, measure, name_seeds


@pytest.mark.parametrize("seed", [0, 1])
def test_equal_systems_set_hardly_any_record_where_items_alone_believe_many(seed: int) -> None:
    """At level .05, 120 boards: a correct program fails with 14 or more in one of 200 runs (binomial)."""
    found, naive = measure(Design(12, 200, 3, 0.05), boards=120, seed=seed)
    assert found * 120 < 14
    assert naive * 120 >= 14


def test_the_luck_of_the_record_before_is_deducted_from_it() -> None:
    """By hand: Student's t on the difference plus the luck; all nine later entries could have made a claim."""
    from scipy.stats import t as student

    rng = np.random.default_rng(4)
    results = name_seeds(draw_runs(Design(10, 200, 3, 0.05, step=0.2), rng))
    audit = lb.audit_records(results, repeats=True, ladders=[])
    claim, paired = audit.claims[-1], paired_means(results)
    assert claim.position == 9
    before = int(paired.means[:9].argmin())
    assert claim.luck_before > 0.2 * float(paired.variances[before] ** 0.5)
    gain = float(paired.means[before] - paired.means[9]) + claim.luck_before
    error = float(paired.difference_variances[before, 9] ** 0.5)
    assert claim.p_value == pytest.approx(student.sf(gain / error, paired.degrees_of_freedom))
    assert (
        min(one.adjusted_p_value / one.p_value for one in audit.claims if one.adjusted_p_value < 1)
        >= 9 - len(audit.claims) + 1
    )
    assert lb.audit_records(results, repeats=True, ladders=[]).claims == audit.claims


def test_the_second_entry_meets_a_record_that_nobody_chose() -> None:
    results = name_seeds(draw_runs(Design(2, 200, 3, 0.05, step=0.3), np.random.default_rng(1)))
    (claim,) = lb.audit_records(results, repeats=True, ladders=[]).claims
    assert claim.luck_before == pytest.approx(0, abs=0.01)
    assert claim.is_real


def test_an_order_by_numbers_is_the_order_of_the_columns() -> None:
    runs = draw_runs(Design(5, 200, 3, 0.05, step=0.3), np.random.default_rng(6))
    shuffled = [3, 0, 4, 1, 2]
    one = lb.audit_records(name_seeds(runs), repeats=True, ladders=[])
    other = lb.audit_records(
        name_seeds(runs[:, shuffled]), order=[shuffled.index(entry) for entry in range(5)], repeats=True, ladders=[]
    )
    assert [claim.adjusted_p_value for claim in one.claims] == pytest.approx(
        [claim.adjusted_p_value for claim in other.claims], rel=0.05
    )


def test_few_items_that_differ_are_judged_as_without_repeats() -> None:
    losses = np.zeros((100, 2))
    losses[:3, 0] = 1
    p_values, _ = judge_noisy_records(losses, paired_means(losses), [0, 1], [[0], [1]])
    assert p_values[0] > 0.05


def test_what_nothing_tells_of_runs_is_refused_both_ways() -> None:
    runs = draw_runs(Design(3, 200, 3, 0.05), np.random.default_rng(2))
    with pytest.raises(lb.ParameterError, match="one run of each system"):
        lb.audit_records(runs.mean(axis=2), repeats=True)
    with pytest.raises(lb.ParameterError, match=r"seeds or prompts are named, .* say --repeats"):
        lb.audit_records(name_seeds(runs))
    repeated = lb.LossMatrix.of(runs.mean(axis=2), repeats=Repeats.of(runs))
    assert lb.audit_records(repeated, repeats=True, ladders=[]).systems == repeated.systems


def test_a_shell_shows_what_was_deducted(tmp_path: Path) -> None:
    runs = draw_runs(Design(10, 200, 3, 0.05, step=0.2), np.random.default_rng(4))
    with (tmp_path / "scores.csv").open("w", newline="") as file:
        write = csv.writer(file)
        write.writerow(["item", "system", "seed", "correct"])
        write.writerows(
            [f"q{item}", f"s{entry}", seed, int(1 - runs[item, entry, seed])]
            for item, entry, seed in np.ndindex(runs.shape)
        )
    given = ["audit-records", str(tmp_path / "scores.csv"), "--kind", "correct", "--seed-column", "seed"]
    refused = CliRunner().invoke(cli, given)
    assert (refused.exit_code, "say --repeats" in refused.output) == (2, True)
    told = CliRunner().invoke(cli, [*given, "--repeats"])
    assert told.exit_code == 0, told.output
    assert "luck before" in told.output
    claims = json.loads(CliRunner().invoke(cli, [*given, "--repeats", "--json"]).output)["claims"]
    assert claims[-1]["luck_before"] > 0
