"""One instance of a mechanism per rank: a submission enters at the first rung it beats, the rest shift down.

Blum & Hardt, section 2.1, second variant. With unlimited ranks every submission better than the baseline would be a
fresh reading of the holdout; therefore there are K rungs, all K are tried for every attempt (so that its time tells
nothing), what beats none gets no number, and attempts and accepts are counted for the whole board. Each attempt makes K
tests, so false accepts may be K times as many as for one instance.

A team holds one rung at most: it can only climb, and a rung it leaves is closed up.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import LEVELS_UNTIL_FAILURE, RULES, Evaluation, Leakage, Proof, Release, State, Yardstick
from ladderboard.mechanisms.base import Mechanism

RUNGS = 20
"""K, the number of ranks, unless said otherwise."""


@dataclass(frozen=True)
class Rung:
    """One rank: who holds it (``None``: nobody yet) and the mechanism's state there."""

    team: str | None
    state: State


@dataclass(frozen=True)
class RungBoard:
    """The states of all ranks, best first, with the counts of the whole board."""

    attempts: int
    accepts: int
    rungs: tuple[Rung, ...]
    proofs: Mapping[str, Proof] = field(default_factory=dict)
    """Each team's own last proven entry; the baseline for a team that is not there."""
    failed: int | None = 0
    """As in `State`, for the whole board: all teams are tested on the same witnesses."""

    def find_rung(self, team: str) -> int | None:
        """The index of the rung that ``team`` holds."""
        return next((index for index, rung in enumerate(self.rungs) if rung.team == team), None)

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "RungBoard":
        record = json.loads(text)
        rungs = tuple(Rung(rung["team"], State.from_dict(rung["state"])) for rung in record["rungs"])
        proofs = {team: Proof(**proof) for team, proof in record.get("proofs", {}).items()}
        return cls(record["attempts"], record["accepts"], rungs, proofs, record.get("failed")).under(RULES)

    def under(self, rules: int) -> "RungBoard":
        """The board as it goes on under the rules of that number; see `State.under`.

        The last proof is that of any team.
        """
        if rules < LEVELS_UNTIL_FAILURE:
            return replace(self, failed=None)
        last = max((0, *(proof.accepts for proof in self.proofs.values())))
        return replace(self, failed=self.accepts - last) if self.failed is None else self

    def find_proof(self, team: str) -> Proof:
        """The team's last proven entry."""
        return self.proofs.get(team, Proof())


def find_state(memory: State | RungBoard, team: str) -> State:
    """What is remembered of a team: its own state, or that of the rung it holds, with the team's own proof."""
    if isinstance(memory, State):
        return memory
    held = memory.find_rung(team)
    return replace(State() if held is None else memory.rungs[held].state, proof=memory.find_proof(team))


def start_rungs(
    mechanism: Mechanism, baseline: Evaluation, setup_rng: np.random.Generator, *, ranks: int = RUNGS
) -> RungBoard:
    """An empty board: the baseline waits on every rung."""
    if ranks < 1:
        raise ParameterError(f"ranks is {ranks}; a board has at least one")
    if not mechanism.shows_scores:
        raise ParameterError(f"{mechanism.name} shows no scores: there are no ranks to hold; give teams their own")
    if mechanism.certifies:
        raise ParameterError(
            f"{mechanism.name} compares with a team's own reference, not with ranks; give teams their own"
        )
    empty = Rung(None, mechanism.start(baseline, setup_rng))
    return RungBoard(attempts=0, accepts=0, rungs=(empty,) * ranks)


def step_rungs(
    mechanism: Mechanism,
    board: RungBoard,
    candidate: Evaluation,
    incumbents: Sequence[Evaluation],
    rng: np.random.Generator,
    *,
    team: str,
    proven: Evaluation,
) -> tuple[RungBoard, Release]:
    """Judge one attempt of ``team``.

    ``incumbents`` are the evaluations of each rung's ``state.incumbent``, ``proven`` that of the team's own last
    proven entry.
    """
    proof = board.find_proof(team)
    tried = [
        mechanism.step(
            replace(rung.state, attempts=board.attempts, accepts=board.accepts, proof=proof, failed=board.failed),
            candidate,
            incumbent,
            own_rng,
            proven=proven,
        )
        for rung, incumbent, own_rng in zip(board.rungs, incumbents, rng.spawn(len(board.rungs)), strict=True)
    ]
    held = board.find_rung(team)
    reachable = tried if held is None else tried[: held + 1]
    entered = next((index for index, (_, release) in enumerate(reachable) if release.accepted), None)
    # A rung that was tried but not entered keeps its number and incumbent, and what the mechanism memorised.
    kept = [
        Rung(rung.team, replace(rung.state, memory=after.memory) if not release.accepted else rung.state)
        for rung, (after, release) in zip(board.rungs, tried, strict=True)
    ]
    attempts = board.attempts + 1
    if entered is None:
        after_all = replace(board, attempts=attempts, rungs=tuple(kept))
        return after_all, _withhold_number(mechanism, after_all, held, candidate.yardstick)
    after, release = tried[entered]
    rungs = _insert(kept, Rung(team, after), entered, held)
    proofs = {**board.proofs, team: after.proof}
    return RungBoard(attempts, board.accepts + 1, rungs, proofs, after.failed), release


def rungs_leakage(mechanism: Mechanism, board: RungBoard, yardstick: Yardstick) -> Leakage:
    """The meter of the whole board: one instance's bits, and log2(K + 1) for each attempt (which rung, or none)."""
    from ladderboard.core.bounds import leakage_bits, overfit_bound

    bits = leakage_bits(board.attempts, board.accepts, mechanism.values_per_accept(yardstick))
    bits += board.attempts * float(np.log2(len(board.rungs) + 1))
    bound = overfit_bound(bits, yardstick.hoeffding_units, yardstick.bounds)
    return Leakage(board.attempts, board.accepts, bits, bound)


def _insert(rungs: list[Rung], entry: Rung, entered: int, held: int | None) -> tuple[Rung, ...]:
    """The entry at its rung; those between it and the rung the team held (or the last) move one down."""
    last = len(rungs) - 1 if held is None else held
    return (*rungs[:entered], entry, *rungs[entered:last], *rungs[last + 1 :])


def _withhold_number(mechanism: Mechanism, board: RungBoard, held: int | None, yardstick: Yardstick) -> Release:
    shown = State() if held is None else board.rungs[held].state
    return Release(
        None,
        shown.released,
        accepted=False,
        improved=False,
        attempt=board.attempts,
        interval=mechanism.tell_interval(shown, yardstick),
        standard_error=shown.standard_error,
    )
