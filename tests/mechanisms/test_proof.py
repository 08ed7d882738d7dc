"""The test behind "improved": levels that last until a test fails, the gate's free look, the limited pseudo-item."""

from dataclasses import replace

import numpy as np
import pytest

from ladderboard.core.records import Proof, State
from ladderboard.mechanisms.proof import Rivals, find_level, find_weight, foresees_proof
from ladderboard.mechanisms.rungs import Rung, RungBoard, start_rungs, step_rungs
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from tests.mechanisms.play import Play, answer_key, key_of, labels_of, wrong_on

RNG = np.random.default_rng(0)


class Board:
    """A run on n items whose secret parts are known."""

    def __init__(self, n: int = 1200) -> None:
        self.n, self.run = n, Play(WitnessLadder(gate_share=1 / 3), key_of(n))
        gate, witness = self.run.mechanism.list_parts(self.run.state, self.run.key.baseline)
        self.gate, self.witness = (part.units.tolist() for part in (gate, witness))

    def submit(self, *, gate: int, witness: int) -> bool:
        """Wrong on so many items that decide and so many that testify; whether it is improved."""
        assert self.run.submit(wrong_on(self.n, [*self.gate[:gate], *self.witness[:witness]])).accepted
        return self.run.releases[-1].improved

    @property
    def failed(self) -> int | None:
        return self.run.state.failed


def test_the_weights_share_out_the_whole_level() -> None:
    """.7·Σ.4·.6^(m−1) = .7·(1 − .6^M) and .3·Σ1/(m(m+1)) = .3·(1 − 1/(M+1))."""
    total = sum(find_weight(m) for m in range(1, 1001))
    assert total == pytest.approx(0.7 * (1 - 0.6**1000) + 0.3 * (1 - 1 / 1001))
    assert all(find_weight(m) > find_weight(m + 1) > 0 for m in range(1, 200))


def test_eight_numbers_released_halve_the_level() -> None:
    assert find_level(0.05, failed=0, readings=8) == pytest.approx(find_level(0.05, failed=0, readings=0) / 2)
    assert find_level(0.05, failed=0, readings=0) == pytest.approx(0.05 * 0.43)


def test_with_fresh_items_a_stream_of_nulls_hears_a_false_word_at_most_with_probability_alpha() -> None:
    """Every test fails and ends its slot, or is the false word: 1 − Π(1 − α·w(m)) ≤ α·Σw(m) = α."""
    levels = np.array([find_level(0.05, failed=m, readings=0) for m in range(5000)])
    assert 0.048 < 1 - np.prod(1 - levels) <= 0.05


def test_a_level_is_used_until_a_test_fails_and_never_comes_back() -> None:
    board = Board()
    assert board.submit(gate=160, witness=320)
    assert board.submit(gate=120, witness=240)
    assert board.failed == 0
    assert not board.submit(gate=100, witness=235), "the gate is hopeful, the witnesses see five repairs"
    assert board.failed == 1
    assert board.submit(gate=60, witness=120)
    assert board.failed == 1, "a proof does not bring the level back"
    assert board.run.state.proof.accepts == board.run.state.accepts == 4


def test_where_the_gate_foresees_nothing_no_test_is_made() -> None:
    """A step needs about 20 items here; against the proven entry the gate sees as many broken as repaired."""
    board = Board()
    assert board.submit(gate=160, witness=320)
    n, gate, witness = board.n, board.gate, board.witness
    incumbent = wrong_on(n, [*gate[200:280], *gate[:70], *witness[:320]])
    board.run.evaluations["s9"] = board.run.key.evaluate(board.run.key.read(wrong_on(n, range(700))), submission="s9")
    board.run.state = replace(board.run.state, incumbent="s9")
    release = board.run.submit(incumbent)
    assert (release.accepted, release.improved, board.failed) == (True, False, 0)


@pytest.mark.parametrize("witness", [0, 150, 318, 320])
def test_whether_a_test_is_made_depends_on_the_gate_alone(witness: int) -> None:
    board = Board()
    board.submit(gate=160, witness=320)
    improved = board.submit(gate=100, witness=witness)
    assert improved or board.failed == 1, "a test was made, whatever the witnesses say"
    assert improved == (witness <= 150)


def test_a_number_that_is_not_better_than_the_proven_one_is_a_failed_test() -> None:
    board = Board()
    board.submit(gate=160, witness=320)
    board.run.state = replace(board.run.state, proof=replace(board.run.state.proof, value=0.0))
    assert not board.submit(gate=40, witness=80)
    assert board.failed == 1


def test_answers_about_the_reference_lower_the_level() -> None:
    board = Board()
    board.submit(gate=160, witness=320)
    asked = board.run.state.with_memory(answers=60, yes=30)  # their transcript has a probability of about 2^-60
    board.run.state = asked
    assert not board.submit(gate=110, witness=300)


def test_a_state_of_the_rule_before_counts_its_accepts_since_the_proof_as_failed() -> None:
    state = State(attempts=9, accepts=5, proof=Proof("x", 0.2, 3))
    record = {**vars(state), "proof": vars(state.proof)}
    del record["failed"]
    assert State.from_dict(record) == replace(state, failed=2)
    assert State.from_json(replace(state, failed=4).to_json()).failed == 4
    assert state.under(1).failed is None
    assert state.under(1).under(2) == replace(state, failed=2)
    board = RungBoard(9, 5, (Rung(None, State()),), {"a": Proof("x", 0.2, 3), "b": Proof("y", 0.3, 1)})
    assert board.under(1).under(2).failed == 2
    assert RungBoard.from_json(replace(board, failed=4).to_json()).failed == 4


def test_the_rule_before_spends_on_accepts_and_begins_anew_with_a_proof() -> None:
    """Level .05/2 after a proof, .05/6 one accept later: 15 repaired of 17 pass the first, 12 of 16 fail the second."""
    board = Board()
    board.run.state = board.run.state.under(1)
    assert board.submit(gate=160, witness=320)
    assert not board.submit(gate=130, witness=317)  # p = 1/8
    assert board.failed is None
    assert not board.submit(gate=100, witness=314)  # p = 1/64 against the proven entry, the level is .05/6
    assert board.submit(gate=70, witness=240)


def test_on_a_board_of_rungs_failed_tests_are_the_boards() -> None:
    mechanism, key = WitnessLadder(gate_share=1 / 3), key_of(1200)
    board = start_rungs(mechanism, key.baseline, np.random.default_rng([0, 0]), ranks=2)
    parts = mechanism.list_parts(board.rungs[0].state, key.baseline)
    gate, witness = (part.units.tolist() for part in parts)
    known = {"baseline": key.baseline}

    def send(team: str, *, on_gate: int, on_witness: int) -> bool:
        nonlocal board
        name = f"s{board.attempts}"
        wrong = wrong_on(1200, [*gate[:on_gate], *witness[:on_witness]])
        known[name] = key.evaluate(key.read(wrong), submission=name)
        held = [known[rung.state.incumbent] for rung in board.rungs]
        proven = known[board.find_proof(team).submission]
        board, release = step_rungs(mechanism, board, known[name], held, RNG, team=team, proven=proven)
        assert release.accepted
        return release.improved

    assert send("a", on_gate=160, on_witness=320)
    assert not send("b", on_gate=120, on_witness=395)
    assert board.failed == 1
    assert send("a", on_gate=60, on_witness=120)
    assert (board.failed, board.accepts) == (1, 3)


def test_of_two_regressions_no_item_differs_by_more_than_the_errors_seen_allow() -> None:
    """worst = max_i min(range rule_i, 2rΔ_i − Δ_i²), r the largest error of the candidate."""
    rng = np.random.default_rng(3)
    y = rng.normal(size=300)
    old, new = y + rng.normal(size=300), y + 0.5 * rng.normal(size=300)
    key = answer_key(y, "mse")
    found = key.evaluate(new).worst_difference(key.evaluate(old))
    apart, largest = np.abs(new - old), np.abs(y - new).max()
    by_range = np.max([(end - new) ** 2 - (end - old) ** 2 for end in (y.min(), y.max())], axis=0)
    limit = np.where(largest > apart, 2 * largest * apart - apart**2, 0)
    assert found is not None
    assert found <= np.maximum(np.minimum(by_range, limit), 0).max() + 1e-12
    # No label within reach of the candidate does worse.
    reach = np.clip(new + np.linspace(-largest, largest, 401)[:, None], y.min(), y.max())
    assert found == pytest.approx(((reach - new) ** 2 - (reach - old) ** 2).max())
    unlimited = key.evaluate(new).worst_difference_of_any_label(key.evaluate(old))
    assert unlimited is not None
    assert found < unlimited


@pytest.mark.parametrize("metric", ["mae", "msle", "pinball"])
def test_the_limit_holds_for_other_losses_of_numbers(metric: str) -> None:
    from ladderboard.metrics.rmsle import MeanSquaredLogError

    rng = np.random.default_rng(4)
    y = rng.gamma(2, size=200)
    key = answer_key(y, MeanSquaredLogError() if metric == "msle" else metric)
    old, new = (key.evaluate(np.abs(y + spread * rng.normal(size=200))) for spread in (0.5, 0.2))
    found, unlimited = new.worst_difference(old), new.worst_difference_of_any_label(old)
    seen = -(old.losses - new.losses).min()
    assert found is not None
    assert unlimited is not None
    assert seen <= found + 1e-9
    assert found <= unlimited + 1e-9


@pytest.mark.parametrize(("values", "is_limited"), [(5, False), (20, False), (60, True)])
def test_labels_of_few_values_are_not_limited(values: int, is_limited: bool) -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, values, 400).astype(float)
    key = answer_key(y, "mse")
    old, new = (key.evaluate(y + spread * rng.normal(size=400)) for spread in (values / 10, values / 20))
    assert (new.worst_difference(old) != new.worst_difference_of_any_label(old)) is is_limited


def test_the_free_look_compares_with_the_proven_entry_and_not_with_the_incumbent() -> None:
    board = Board()
    key, (gate, witness) = board.run.key, board.run.mechanism.list_parts(board.run.state, board.run.key.baseline)
    proven, same = (key.evaluate(key.read(labels_of(board.n) ^ 0)) for _ in range(2))
    worse = key.evaluate(key.read(wrong_on(board.n, range(200))))
    assert not foresees_proof(Rivals(proven, same), gate, witness, 0.02)
    assert foresees_proof(Rivals(worse, proven), gate, witness, 0.02)
