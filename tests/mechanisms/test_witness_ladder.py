"""The Witness Ladder by hand: which half decides, what is told, and at which level a gain is proven."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.stats import binomtest

from ladderboard.core.records import Evaluation, Release
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from tests.mechanisms.play import Play, key_of, labels_of, wrong_on


@dataclass
class Halves:
    """A board of n items of two equal classes, and where its secret halves lie."""

    n: int = 400
    mechanism: WitnessLadder = field(default_factory=lambda: WitnessLadder(gate_share=0.5))

    def __post_init__(self) -> None:
        self.run = Play(self.mechanism, key_of(self.n))
        gate, witness = self.mechanism.list_parts(self.run.state, self.run.key.baseline)
        self.gate, self.witness = (np.asarray(part.units) for part in (gate, witness))

    def submit(self, wrong: Iterable[int]) -> Release:
        return self.run.submit(wrong_on(self.n, [int(item) for item in wrong]))

    def of_class(self, label: int) -> list[int]:
        """The witnesses of that class."""
        return [int(item) for item in self.witness if labels_of(self.n)[item] == label]


def test_one_half_alone_decides_and_the_other_alone_testifies() -> None:
    board = Halves()
    assert not board.submit(board.gate).accepted, "right on every witness, wrong where it is decided"
    assert Halves().submit(board.witness).accepted, "wrong on every witness, right where it is decided"


def test_the_worse_of_all_items_and_of_the_witnesses_with_an_allowance_is_told() -> None:
    # 40 of 200 witnesses wrong: .1 on all, .2 on the witnesses less sd/√n = .015. Half a grid step is .005 there.
    board = Halves()
    assert board.submit(board.witness[:40]).value == pytest.approx(0.185, abs=0.006)
    # The same 40 errors where it is decided: .1 on all, none on the witnesses.
    assert Halves().submit(board.gate[:40]).value == pytest.approx(0.1, abs=0.005)


class OneEighth(WitnessLadder):
    def required_step(self, accepts: int, incumbent_on_gate: Evaluation) -> float:
        return 0.125


def test_a_gain_of_exactly_the_step_passes() -> None:
    board = Halves(128, OneEighth(gate_share=0.5))  # 64 items decide: eighths are exact
    assert [board.submit(board.gate[:wrong]).accepted for wrong in (16, 9, 8)] == [True, False, True]


@pytest.mark.parametrize(("wins", "losses", "proven"), [(55, 45, False), (60, 42, False), (66, 42, True)])
def test_a_gain_is_proven_on_the_witnesses_alone_at_two_fifths_of_the_level_the_first_time(
    wins: int, losses: int, proven: bool
) -> None:
    """The baseline says class 0: a witness of class 1 that is right is a win, one of class 0 that is wrong a loss."""
    board = Halves()
    ones, zeros = board.of_class(1), board.of_class(0)
    release = board.submit([*ones[wins:], *zeros[:losses]])
    p_value = binomtest(wins, wins + losses, alternative="greater").pvalue
    assert release.accepted, "every item that decides is right"
    assert (p_value <= 0.05 * 0.43) == proven == release.improved
    assert p_value <= 0.05 or wins == 55, "60 of 102 would pass at the whole level"


def test_the_level_of_the_entry_is_shared_by_all_attempts() -> None:
    p_value = binomtest(60, 102, alternative="greater").pvalue
    assert 0.05 / 2 < p_value <= 0.05
    first, second = Halves(), Halves()
    ones, zeros = ([int(item) for item in first.gate if labels_of(400)[item] == label] for label in (1, 0))
    assert first.submit([*ones[60:], *zeros[:42]]).accepted
    assert not second.submit(range(400)).accepted
    assert not second.submit([*ones[60:], *zeros[:42]]).accepted


def test_the_step_grows_by_an_eighth_of_the_first_with_every_accept() -> None:
    board = Halves()
    gate, _ = board.mechanism.list_parts(board.run.state, board.run.key.baseline)
    # The baseline errs on half of the 200 items that decide: their sd is .5·√(200/199), and n = 400 are under the root.
    steps = [board.mechanism.required_step(accepts, board.run.key.baseline.on(gate)) for accepts in (0, 1, 3)]
    assert steps == pytest.approx([0.5 * factor * 0.5 * (200 / 199) ** 0.5 / 20 for factor in (1, 9 / 8, 11 / 8)])


def test_an_answer_about_the_reference_is_given_by_the_witnesses_alone() -> None:
    board = Halves()
    test = board.mechanism.answer_test(board.run.state, board.run.key.baseline)
    assert set(test.units.units) == set(board.witness)
    assert test.level == pytest.approx(0.05 / 2)
