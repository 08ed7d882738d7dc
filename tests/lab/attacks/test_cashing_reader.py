"""The cashing reader: its readings are truly better, its strikes never are."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest

import ladderboard as lb
from ladderboard_lab.attacks.insiders.cashing_reader import CashingReader
from ladderboard_lab.participant import Array, Briefing, Participant
from ladderboard_lab.problems.coin_flips import coin_flips


@dataclass
class Recorder:
    """An account that notes every submission's errors on the known items, and what it was told."""

    inner: Participant
    briefing: Briefing
    sent: list[tuple[int, lb.Release]] = field(default_factory=list)

    def submit(self, predictions: Array, *, training_score: float | None = None) -> lb.Release:
        release = self.inner.submit(predictions, training_score=training_score)
        wrong = predictions[self.briefing.known_items] != self.briefing.known_labels
        self.sent.append((int(np.count_nonzero(wrong)), release))
        return release

    def account(self, name: str) -> Participant:
        return Recorder(self.inner.account(name), self.briefing, self.sent)


def record(attack: CashingReader, mechanism: lb.Mechanism, *, seed: int) -> list[tuple[int, lb.Release]]:
    rng = np.random.default_rng(seed)
    problem = coin_flips(rng, n=1000, known_share=attack.known)
    recorder = Recorder(problem.open_board(mechanism, seed=seed), problem.briefing)
    attack.run(recorder, budget=400, rng=rng)
    return recorder.sent


def test_it_needs_known_labels() -> None:
    rng = np.random.default_rng(0)
    assert CashingReader().misfit(coin_flips(rng, n=100).briefing) is not None
    assert CashingReader().misfit(coin_flips(rng, n=100, known_share=0.5).briefing) is None


@pytest.mark.parametrize("seed", [1, 2])
def test_readings_are_truly_better_and_strikes_repair_nothing(seed: int) -> None:
    attack = CashingReader(strikes=100)
    sent = record(attack, lb.WitnessLadder(), seed=seed)
    price = round(attack.pay * 1000**0.5)
    proven = [wrong for wrong, release in sent if release.improved]
    assert len(proven) >= 3, "it pays enough to be proven"
    last = max(index for index, (_, release) in enumerate(sent) if release.improved)
    strikes = [wrong for wrong, _ in sent[-attack.strikes :]]
    assert len(sent) - last >= attack.strikes
    assert set(strikes) == {proven[-1]}
    accepted = [wrong for wrong, release in sent[: -attack.strikes] if release.accepted]
    assert all(before - after == price for before, after in pairwise(accepted))


def test_where_every_accept_is_praised_the_first_strike_that_passes_ends_it() -> None:
    sent = record(CashingReader(readings=3), lb.ParameterFreeLadder(), seed=3)
    errors = [wrong for wrong, release in sent if release.improved]
    assert errors[-1] == errors[-2], "a word for an entry that is no better"
    assert sent[-1][1].improved
