"""Comparisons: the verdict and its rates, parts, items, seeds, and words that no name can break."""

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.analysis.compare_words import describe_power, describe_sources, render_markdown
from ladderboard.evals import ACCURACY


def board(n: int = 400, gain: float = 0.1, seed: int = 0, **more: object) -> lb.LossMatrix:
    rng = np.random.default_rng(seed)
    losses = (rng.random((n, 2)) < [0.4 - gain, 0.4]).astype(float)
    return lb.LossMatrix.of(losses, systems=["new", "old"], measure=ACCURACY, **more)  # type: ignore[arg-type]


def test_a_clear_gain_is_better_and_the_other_way_round_worse() -> None:
    found, turned = lb.compare(board(), "new", "old"), lb.compare(board(), "old", "new")
    assert (found.verdict, turned.verdict) == ("better", "worse")
    assert found.interval == pytest.approx([-end for end in turned.interval[::-1]])
    assert found.difference == pytest.approx(found.new_score - found.old_score)
    assert (found.won, found.lost) == (turned.lost, turned.won)
    assert "new is better than old: accuracy" in found.sentence()


def test_losses_are_shown_as_losses() -> None:
    found = lb.compare(np.array([[0.1, 0.5], [0.2, 0.4], [0.1, 0.6]] * 20), "system 1", "system 2")
    assert found.verdict == "better"
    assert found.interval[0] < found.difference < found.interval[1] < 0


@pytest.mark.claim
@pytest.mark.parametrize("seed", [1, 2])
def test_of_equal_systems_one_in_forty_is_called_better_at_most(seed: int) -> None:
    """600 boards; a test of exactly that level exceeds .045 in 1 of 500 seeds."""
    found = [lb.compare(board(200, 0.0, seed=1000 * seed + i), "new", "old").verdict for i in range(600)]
    assert found.count("better") <= 0.045 * 600
    assert found.count("worse") <= 0.045 * 600


@pytest.mark.claim
def test_a_system_worse_by_the_margin_is_called_not_worse_one_time_in_forty_at_most() -> None:
    """At the edge of the hypothesis, 600 boards; and a copy passes, so that the check can."""
    found = [lb.compare(board(400, -0.05, seed=5000 + i), "new", "old", margin=0.05).verdict for i in range(600)]
    assert sum(one in ("not worse", "better") for one in found) <= 0.045 * 600
    same = lb.LossMatrix.of([[0, 0], [1, 1]] * 500, systems=["new", "old"])
    assert lb.compare(same, "new", "old", margin=0.01).verdict == "not worse"
    assert lb.compare(same, "new", "old", margin=0.001).verdict == "not proven"


@pytest.mark.claim
@pytest.mark.parametrize("seed", [1, 2])
def test_the_intervals_of_all_tasks_hold_at_once(seed: int) -> None:
    """Eight tasks with planted gains; simultaneous coverage of 300 boards."""
    rng, gains = np.random.default_rng(seed), np.linspace(-0.1, 0.1, 8)
    tasks = [f"task {k}" for k in range(8) for _ in range(60)]
    held = 0
    for _ in range(300):
        losses = (rng.random((480, 2)) < np.stack([0.4 - np.repeat(gains, 60), np.full(480, 0.4)], axis=1)).astype(
            float
        )
        found = lb.compare(
            lb.LossMatrix.of(losses, systems=["new", "old"], measure=ACCURACY, tasks=tasks), "new", "old"
        )
        ends = [part.interval for part in found.by_task]
        held += all(end is not None and end[0] <= gain <= end[1] for end, gain in zip(ends, gains, strict=True))
    assert held / 300 >= 0.93


def test_seeds_widen_the_interval_and_are_named_by_what_they_share() -> None:
    rng = np.random.default_rng(4)
    leads = np.array([0.30, 0.36, 0.24, 0.40, 0.41, 0.39])
    names = ["ours-seed1", "ours-seed2", "ours-seed3", "base-1", "base-2", "base-3"]
    matrix = lb.LossMatrix.of((rng.random((500, 6)) < leads).astype(float), systems=names)
    alone, seeded = lb.compare(matrix, "ours-seed1", "base-1"), lb.compare(matrix, names[:3], names[3:])
    assert (seeded.new, seeded.old, seeded.seeds) == ("ours-seed", "base", (3, 3))
    assert seeded.interval[1] - seeded.interval[0] > alone.interval[1] - alone.interval[0]
    assert "other trainings (seeds) of ours-seed1 and base-1" in " ".join(describe_sources(alone))
    assert "3 seeds of ours-seed and 3 of base" in " ".join(describe_sources(seeded))
    assert describe_power(seeded) == ""


def test_repeated_runs_are_in_the_error_and_their_share_is_said() -> None:
    rng = np.random.default_rng(5)
    runs = (rng.random((300, 2, 4)) < 0.5).astype(float)  # nothing but the chance of runs
    found = lb.compare(lb.LossMatrix.of(runs.mean(axis=2), repeats=lb.Repeats.of(runs)), "system 1", "system 2")
    assert found.runs == 4
    assert found.runs_share == pytest.approx(1, abs=0.2)
    assert "up to 4 runs" in " ".join(describe_sources(found))


def test_the_items_with_the_largest_differences_are_named() -> None:
    losses = np.array([[0.1, 0.9], [0.5, 0.5], [0.6, 0.2], [0.3, 0.4]])
    found = lb.compare(lb.LossMatrix.of(losses, systems=["new", "old"], items=list("abcd")), "new", "old", shown=1)
    assert [one.item for one in found.largest_wins] == ["a"]
    assert [one.item for one in found.largest_losses] == ["c"]
    assert (found.won, found.lost) == (2, 1)


def test_groups_are_compared_without_intervals_and_widen_the_whole() -> None:
    matrix = board(groups=[f"g{row // 100}" for row in range(400)])
    found = lb.compare(matrix, "new", "old")
    assert found.units == 4
    assert [part.interval for part in found.by_group] == [None] * 4
    assert sum(part.items * part.difference for part in found.by_group) / 400 == pytest.approx(found.difference)


def test_the_gap_that_is_resolved_is_proven_eight_times_in_ten() -> None:
    """A board made with that gap: 300 of them, four standard deviations of slack."""
    gap = lb.compare(board(500, 0.08), "new", "old").resolved_gap
    proven = [lb.compare(board(500, gap, seed=7000 + i), "new", "old").verdict == "better" for i in range(300)]
    assert abs(np.mean(proven) - 0.8) < 4 * np.sqrt(0.8 * 0.2 / 300)


def test_no_name_becomes_markup_in_a_pull_request() -> None:
    names = ["<img src=x onerror=alert(1)>|", "@everyone #1 http://x.example `"]
    items = ["| a\n# b", "<!-- c", "[d](javascript:e)", "f"]
    matrix = lb.LossMatrix.of([[0, 1], [0, 1], [1, 0], [0, 1]], systems=names, items=items, tasks=["|", "|", "*", "*"])
    text = render_markdown(lb.compare(matrix, names[0], names[1]))
    for raw in ("<img", "@everyone", "#1", "http://", "\n# b", "[d](", "<!-- c"):
        assert raw not in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in tables} == {6, 4}


@pytest.mark.parametrize(
    ("names", "options", "words"),
    [
        (("new", "new"), {}, "cannot be compared with itself"),
        (("new", "gone"), {}, "no system is called 'gone'; there are 'new', 'old'"),
        (("new", "old"), {"margin": -1.0}, "margin is -1.0; it must be above 0"),
        (([], "old"), {}, "give one name, or several different ones"),
    ],
)
def test_bad_requests_are_one_sentence(names: tuple[str, str], options: dict[str, float], words: str) -> None:
    with pytest.raises(lb.LadderboardError, match=words):
        lb.compare(board(), *names, **options)  # type: ignore[arg-type]
