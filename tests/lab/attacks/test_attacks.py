"""What holds for every attack: it keeps its budget, is repeatable, documented, and says where it does not fit."""

import numpy as np
import pytest

import ladderboard as lb
from ladderboard_lab.attack_runs import choose_problem
from ladderboard_lab.attacks import ATTACKS
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.attacks.boosting import Boosting
from ladderboard_lab.attacks.insiders.look import Look
from ladderboard_lab.attacks.multiclass import Multiclass
from ladderboard_lab.problems.base import Problem
from ladderboard_lab.problems.coin_flips import coin_flips, coin_flips_auc
from tests.contracts.names_in_code import list_sources, names_in


def a_problem_for(attack: Attack) -> Problem:
    return choose_problem(attack, np.random.default_rng(3), n=80)[1]


def every_setting() -> list[Attack]:
    return [setting for attack in ATTACKS.values() for setting in attack.settings()]


@pytest.mark.parametrize("budget", [1, 2, 7, 100])
@pytest.mark.parametrize("attack", every_setting(), ids=lambda attack: f"{attack.name} {attack.setting}")
def test_an_attack_never_submits_more_often_than_its_budget(attack: Attack, budget: int) -> None:
    problem = a_problem_for(attack)
    for mechanism in (lb.FullDisclosure(), lb.WitnessLadder()):
        asked: list[lb.Release] = []
        participant = problem.open_board(mechanism, seed=1)
        participant.on_release = asked.append
        result = attack.run(participant, budget=budget, rng=np.random.default_rng(5))
        assert 1 <= len(asked) <= budget
        assert len(result) == (1 if attack.yields == "score" else problem.briefing.items)


@pytest.mark.parametrize("attack", every_setting(), ids=lambda attack: f"{attack.name} {attack.setting}")
def test_an_attack_is_repeatable_and_states_metric_what_it_breaks_and_what_to_expect(attack: Attack) -> None:
    documented = type(attack).__doc__ or ""
    assert "Metric:" in documented
    assert "Breaks:" in documented
    problem = a_problem_for(attack)
    once, again = (
        attack.run(problem.open_board("full_disclosure", seed=1), budget=40, rng=np.random.default_rng(5))
        for _ in range(2)
    )
    assert np.array_equal(once, again)


def test_the_registry_names_every_attack_by_its_own_name() -> None:
    assert all(attack.name == name for name, attack in ATTACKS.items())
    assert len({attack.__module__ for attack in ATTACKS.values()}) == len(ATTACKS)


def test_the_arena_knows_no_attack_by_its_name() -> None:
    arena = [path for path in list_sources(but=()) if path.parent.name == "arena"]
    assert arena
    assert [place for path in arena for place in names_in(path, ATTACKS)] == []


def test_an_attack_says_which_problem_it_does_not_fit() -> None:
    auc = coin_flips_auc(np.random.default_rng(0), n=30).briefing
    assert Boosting().misfit(auc) == "needs the metric error_rate, not auc"
    plain = coin_flips(np.random.default_rng(0), n=30).briefing
    assert Look().misfit(plain) == "needs a competitor who holds some labels and lacks others"
    assert Multiclass().misfit(plain) == "needs three classes or more, not 2"


@pytest.mark.parametrize(("value", "weight"), [(0.499, 1.0), (0.5, 1.0), (0.501, 0.0), (None, 0.0)])
def test_boosting_keeps_a_loss_of_at_most_one_half(value: float | None, weight: float) -> None:
    release = lb.Release(value, value, accepted=False, improved=False, attempt=1, interval=None)
    assert Boosting().weigh(release) == weight


def test_a_majority_of_fair_vectors_has_both_classes() -> None:
    participant = coin_flips(np.random.default_rng(1), n=400).open_board("full_disclosure", seed=1)
    final = Boosting().run(participant, budget=40, rng=np.random.default_rng(2))
    assert 0.4 < np.mean(final) < 0.6  # half of 400 items, to four standard deviations
