"""How well boards order honest teams: against a simulation of another make, and mechanisms that must fail."""

import math
from itertools import combinations

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.mechanisms import make_mechanism
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.planning.ordering import can_simulate, describe_fair_size, find_fair_size, simulate_ordering

ACCURACY = AnswerKey([0, 1] * 125, find_metric("accuracy")).yardstick


def play_with_the_public_face(mechanism: Mechanism, units: int, *, boards: int = 40) -> tuple[float, float]:
    """The pairs in the right order, on a board and by the best plain scores; files made from coin flips."""
    rng, found = np.random.default_rng(77), []
    labels = np.arange(units) % 2
    truth = np.linspace(0.2, 0.4, 10)
    for seed in range(boards):
        board = lb.Leaderboard(labels, metric="error_rate", mechanism=mechanism, seed=seed)
        plain = []
        for team, final in enumerate(truth):
            wrong = rng.random(units) < 0.45
            raw = [wrong.mean()]
            for before, now in zip(np.linspace(0.45, final, 6)[:-1], np.linspace(0.45, final, 6)[1:], strict=True):
                board.submit(str(team), np.where(wrong, 1 - labels, labels))
                # Some right answers go wrong, and more wrong ones right: 0.06 of all change beside the gain.
                repaired, broken = before - now + 0.06, 0.06
                flips = rng.random(units) < np.where(wrong, repaired / before, broken / (1 - before))
                wrong = wrong ^ flips
                raw.append(wrong.mean())
            board.submit(str(team), np.where(wrong, 1 - labels, labels))
            plain.append(min(raw))
        shown = {one.team: one.value for one in board.standings() if one.value is not None}
        values = [shown[str(team)] for team in range(len(truth))]
        found.append((share_right(values), share_right(plain)))
    return tuple(np.mean(found, axis=0))


def share_right(losses: list[float]) -> float:
    """One pair after the other; the teams come best first."""
    pairs = list(combinations(losses, 2))
    return sum(1.0 if a < b else 0.5 if a == b else 0.0 for a, b in pairs) / len(pairs)


@pytest.mark.parametrize("units", [125, 1000])
def test_the_simulation_agrees_with_one_of_another_make(units: int) -> None:
    mechanism = make_mechanism("witness_ladder")
    ours = simulate_ordering(mechanism, units)
    right, plain = play_with_the_public_face(mechanism, units)
    # Seeded. The files are related in another way, which moves a share by up to .03; its standard error is about .01.
    assert ours.plain == pytest.approx(plain, abs=0.05)
    assert ours.right == pytest.approx(right, abs=0.05)
    assert ours.is_as_good == (units == 1000)


def test_a_small_public_part_is_told_and_a_large_one_is_not_blamed() -> None:
    size = find_fair_size(make_mechanism("witness_ladder"), ACCURACY)
    assert size is not None
    assert 250 < size < 1000
    small = describe_fair_size(make_mechanism("witness_ladder"), ACCURACY)
    assert small is not None
    assert small.startswith(f"from about {size} public rows on the board orders honest teams as well as plain scores")
    assert "there are 250: make more rows public" in small
    assert small.endswith("or show no scores until the end (silent)")
    large = AnswerKey([0, 1] * 1000, find_metric("accuracy")).yardstick
    assert "there are" not in str(describe_fair_size(make_mechanism("witness_ladder"), large))


def test_a_board_that_hides_too_much_is_found_out() -> None:
    deaf = make_mechanism("witness_ladder", first_step=20.0)
    assert find_fair_size(deaf, ACCURACY) == math.inf
    assert "even on 4,000 public rows the board orders honest teams less well" in str(
        describe_fair_size(deaf, ACCURACY)
    )
    assert find_fair_size(make_mechanism("full_disclosure"), ACCURACY) == 125


def test_nothing_is_said_where_the_simulation_does_not_speak_for_the_board() -> None:
    for name in ("silent", "thresholdout", "bayes_boot_ladder"):
        assert describe_fair_size(make_mechanism(name), ACCURACY) is None
    prices = AnswerKey(np.arange(400.0), find_metric("mae")).yardstick
    assert not can_simulate(make_mechanism("ladder", step_size=0.01), prices)  # a step in units of that metric
    assert can_simulate(make_mechanism("ladder", step_size=0.01), ACCURACY)
    assert can_simulate(make_mechanism("witness_ladder"), prices)
