"""Mechanisms: rules that turn a submission into a release. `MECHANISMS` names every one of them."""

from ladderboard.mechanisms.base import Mechanism
from ladderboard.mechanisms.ladder import Ladder
from ladderboard.mechanisms.spending_ladder import SpendingLadder
from ladderboard.mechanisms.witness_ladder import WitnessLadder

MECHANISMS: dict[str, type[Mechanism]] = {
    mechanism.name: mechanism
    for mechanism in (
        Ladder,
        SpendingLadder,
        WitnessLadder,
    )
}
