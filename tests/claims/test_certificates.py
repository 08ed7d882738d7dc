"""Certificates: given to systems that improve, almost never to others, with numbers that are true on average."""

import pytest

import ladderboard as lb
from ladderboard.core.records import State
from ladderboard_lab.attacks import ATTACKS
from ladderboard_lab.attacks.insiders.cashing_reader import CashingReader
from tests.claims.certificates import Setting, measure
from tests.claims.sizes import least, most, sized
from tests.claims.words_under_attack import UnchargedCertifier, measure_false_words

RUNS = 120
either_size = sized(30, RUNS)


class UncorrectedCertifier(lb.Certifier):
    """The negative control: every question at level α, as if it were the only one."""

    def find_level(self, state: State) -> float:
        return self.alpha


@pytest.mark.claim
def test_a_system_that_improves_is_certified_with_a_true_number() -> None:
    """Four runs of five are certified.

    Numbers have a standard error of .04 at these sizes, their mean over 120 one of .004: .005 is the bias that is
    claimed, three standard errors of the mean are allowed beyond it.
    """
    found = measure(Setting(), runs=RUNS)
    assert found.certified >= least(0.8, RUNS)
    assert abs(found.bias) <= 0.005 + 3 * 0.004
    assert found.covers >= 0.9
    assert found.false <= most(0.05, RUNS)


@pytest.mark.claim
def test_the_raw_score_of_a_certified_system_would_be_too_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control of the correction: the same certificates, numbers higher by .01 and more on average."""
    corrected = measure(Setting(), runs=RUNS)
    monkeypatch.setattr("ladderboard.inference.certificate.find_selection_luck", lambda *_: 0.0)
    raw = measure(Setting(), runs=RUNS)
    assert raw.certificates == corrected.certificates
    assert raw.bias - corrected.bias >= 0.01


FLAT = {
    "300 edits": Setting(step=0.0, edits=300),
    "300 questions": Setting(step=0.0, edits=300, is_guided=False),
    "300 questions, one run each": Setting(repeats=1, step=0.0, edits=300, is_guided=False),
    "groups": Setting(tasks=250, step=0.0, edits=60, is_guided=False, per_group=5),
}


@pytest.mark.claim
@either_size
@pytest.mark.parametrize("setting", FLAT.values(), ids=FLAT.keys())
def test_a_proposer_without_progress_hears_a_false_certificate_in_five_of_a_hundred_cases_at_most(
    setting: Setting, runs: int
) -> None:
    assert measure(setting, runs=runs).false <= most(0.05, runs)


@pytest.mark.claim
def test_without_a_correction_for_questions_climbing_on_the_words_would_hear_false_certificates() -> None:
    found = measure(FLAT["300 questions"], runs=15, mechanism=UncorrectedCertifier())
    assert found.false > most(0.05, 15)


@pytest.mark.claim
@either_size
@pytest.mark.parametrize("name", ["best_of_n", "hill_climb", "reader", "look"])
def test_attacks_on_small_guards_hear_a_false_certificate_in_five_of_a_hundred_cases_at_most(
    name: str, runs: int
) -> None:
    attack = ATTACKS[name]()
    known = attack.known_share if name in ("reader", "look") else 0.0
    found = measure_false_words(attack, n=400, budget=150, known=known, streams=runs, mechanism=lb.Certifier())
    assert found <= most(0.05, runs)


@pytest.mark.claim
@sized(20, 60)
def test_a_cashing_reader_strikes_in_vain_where_each_certificate_halves_the_level(runs: int) -> None:
    attack = CashingReader(readings=4, batch=0.3, pay=1.4)
    found = [
        measure_false_words(attack, n=1000, budget=60, known=attack.known_share, streams=runs, mechanism=one)
        for one in (lb.Certifier(), UnchargedCertifier())
    ]
    assert found[0] <= most(0.05, runs) < found[1]
