"""A rehearsal of a loop: copies are certified by luck alone, and the power that it states is found by simulation."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import ladderboard as lb
from ladderboard.cli.main import cli
from ladderboard.loop.plan import find_best_split, find_needed_tasks, find_power, make_spread
from ladderboard.loop.proposal import compare, is_convinced
from ladderboard.mechanisms.certifier import Certifier
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.mean_score import MeanScore

TASKS = [{"id": n, "input": n} for n in range(100)]
BOUNDS = (0.0, 1.0)


def rehearse(**options: Any) -> Any:
    rng = np.random.default_rng(3)
    given: dict[str, Any] = {"series": 30, "copies": 30, "repeats": 4, "gain": 0.1, **options}
    return lb.Loop.rehearse(TASKS, lambda _, output: output, lambda _: float(rng.random() < 0.5), **given)


def certify_often(n: int, repeats: int, gain: float, abilities: tuple[float, float], seed: int) -> tuple[float, float]:
    """The share of 400 first candidates that are certified, and the power that pilots of 8 runs state.

    Tasks have a Beta-distributed probability of success; a candidate solves some of them outright and loses others.
    """
    rng, key, mechanism = np.random.default_rng([seed, n, repeats]), AnswerKey([0] * n, MeanScore()), Certifier()
    solved = abilities[0] / sum(abilities)
    won, lost = 1.5 * gain / (1 - solved), 0.5 * gain / solved
    certified = 0
    for _ in range(400):
        old, luck = rng.beta(*abilities, 2 * n), rng.random(2 * n)
        new = np.where(luck < won, 1.0, np.where(luck < won + lost, 0.0, old))
        before, after = (rng.binomial(repeats, chance) / repeats for chance in (old, new))
        if not is_convinced(*compare(key, before[:n], after[:n])):
            continue
        reference = key.evaluate(before[n:], submission="0")
        state, _ = mechanism.step(mechanism.start(key.baseline, rng), reference, key.baseline, rng)
        certified += mechanism.step(state, key.evaluate(after[n:], submission="1"), reference, rng)[1].improved
    pilots = [[(rng.random(8) < p).astype(float) for p in rng.beta(*abilities, 2 * n)] for _ in range(4)]
    stated = [find_power(make_spread(pilot, None, BOUNDS), gain, n, n, repeats) for pilot in pilots]
    return certified / 400, float(np.mean(stated))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("n", "repeats", "gain", "abilities"),
    [(100, 4, 0.08, (1, 1)), (100, 1, 0.18, (1, 1)), (200, 4, 0.09, (2, 1)), (60, 2, 0.12, (0.5, 0.5))],
)
def test_so_many_are_certified_as_the_rehearsal_states(
    n: int, repeats: int, gain: float, abilities: tuple[float, float], seed: int
) -> None:
    """Within three standard errors of 400 simulated candidates: one in 50 of right programs would miss in 8 rows."""
    found, stated = certify_often(n, repeats, gain, abilities, seed)
    assert stated == pytest.approx(found, abs=3 * math.sqrt(found * (1 - found) / 400))
    assert stated != pytest.approx(certify_often(n, repeats, 0.6 * gain, abilities, seed)[0], abs=0.05)


def test_copies_are_kept_as_often_as_records_fall_and_hardly_ever_certified() -> None:
    """Of k equal copies after a reference 1/2 + … + 1/(k + 1) are higher than all before, a few less for ties."""
    found = rehearse()
    records = sum(1 / k for k in range(2, 32))
    assert 0.75 * records < found.kept < records + 0.5
    assert found.asked < 2
    assert found.false <= 4  # at most 5 % of 30 series: five or more are 1 in 50
    assert found.run_error == pytest.approx(math.sqrt(0.5), abs=0.07)
    assert (found.grader_changes, found.score) == (0.0, pytest.approx(0.5, abs=0.08))


def test_more_tasks_and_runs_certify_more_and_the_needed_ones_are_the_fewest() -> None:
    rng = np.random.default_rng(5)
    spread = make_spread([(rng.random(4) < p).astype(float) for p in rng.random(300)], None, BOUNDS)
    powers = [find_power(spread, 0.1, n, n, r) for n, r in ((50, 2), (100, 2), (100, 4), (200, 4))]
    assert all(low < high for low, high in itertools.pairwise(powers))
    needed = find_needed_tasks(spread, 0.1, 0.8, 4)
    n = needed.open_tasks
    assert find_power(spread, 0.1, n, n, 4) >= 0.8 > find_power(spread, 0.1, n - 1, n - 1, 4)
    best = find_best_split(spread, 0.1, 200, 4)
    assert best.open_tasks + best.guarded_tasks == 200
    shares = [find_power(spread, 0.1, opened, 200 - opened, 4) for opened in (60, 80, 100, 120, 140)]
    assert best.power >= max(shares) - 0.01


def test_groups_are_what_counts() -> None:
    """Five copies of each task in a group prove what one does."""
    rng = np.random.default_rng(6)
    runs = [(rng.random(4) < p).astype(float) for p in rng.random(60)]
    alone = make_spread(runs, None, BOUNDS)
    fives = make_spread([one for one in runs for _ in range(5)], tuple(str(n // 5) for n in range(300)), BOUNDS)
    assert len(fives.means) == 60
    assert fives.find_variances(0.1)[0] == pytest.approx(alone.find_variances(0.1)[0], rel=0.2)


def test_a_grader_that_does_not_repeat_itself_is_measured() -> None:
    rng = np.random.default_rng(4)
    found = lb.Loop.rehearse(
        TASKS, lambda _, output: float(rng.random() < output), lambda _: 0.5, series=1, copies=1, gain=0.1
    )
    assert found.grader_changes == pytest.approx(0.5, abs=0.1)
    assert "It is not deterministic" in " ".join(found.sentences())


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        ({"gain": 0.5}, "a gain of 0.5, of which 1.5 times as much is won"),
        ({"gain": 0.0}, "gain is 0.0; it must be above 0"),
        ({"power": 1.0}, "power is 1.0; it must lie between 0 and 1"),
        ({"repeats": 1}, "a task has one run; give at least two of each"),
        ({"series": 0}, "0 series"),
    ],
)
def test_what_cannot_be_rehearsed_is_refused(options: dict[str, Any], refusal: str) -> None:
    with pytest.raises(lb.InputError, match=refusal):
        rehearse(**options)


def test_a_rehearsal_in_a_shell_proposes_a_split(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    (tmp_path / "tasks.jsonl").write_text("\n".join(json.dumps(one) for one in TASKS))
    outputs = [{"id": one["id"], "output": int(rng.random() < 0.5)} for one in TASKS for _ in range(3)]
    (tmp_path / "outputs.jsonl").write_text("\n".join(map(json.dumps, outputs)))
    grader = tmp_path / "grade.py"
    grader.write_text("def grade(item, output):\n    return output\n")
    arguments = ["loop", "rehearse", str(tmp_path / "tasks.jsonl"), "--grader", str(grader), "--gain", "0.15"]
    given = [*arguments, "--outputs", str(tmp_path / "outputs.jsonl")]
    told = CliRunner().invoke(cli, given)
    assert "Proposed for a gain of 0.15:" in told.output, told.output
    assert "runs  these 100 certify it in" in told.output
    found = json.loads(CliRunner().invoke(cli, [*given, "--json"]).stdout)
    assert [one["repeats"] for one in found["plans"]] == [1, 2, 4, 8]
    assert found["proposed"] in found["plans"]
    assert CliRunner().invoke(cli, arguments).exit_code == 2
