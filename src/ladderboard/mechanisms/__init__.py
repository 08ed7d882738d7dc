"""Mechanisms: rules that turn a submission into a release. `MECHANISMS` names every one of them."""

from dataclasses import fields

from ladderboard.core.errors import ParameterError, unknown_name
from ladderboard.mechanisms.base import Mechanism
from ladderboard.mechanisms.bayes_boot_ladder import BayesBootLadder
from ladderboard.mechanisms.bayes_boot_ladder_boot import BayesBootLadderBoot
from ladderboard.mechanisms.certifier import Certifier
from ladderboard.mechanisms.full_disclosure import FullDisclosure
from ladderboard.mechanisms.ladder import Ladder
from ladderboard.mechanisms.ladder_boot import LadderBoot
from ladderboard.mechanisms.parameter_free_ladder import ParameterFreeLadder
from ladderboard.mechanisms.shaky_ladder import ShakyLadder
from ladderboard.mechanisms.significance_ladder import SignificanceLadder
from ladderboard.mechanisms.silent import Silent
from ladderboard.mechanisms.spending_ladder import SpendingLadder
from ladderboard.mechanisms.thresholdout import Thresholdout
from ladderboard.mechanisms.witness_ladder import WitnessLadder

MECHANISMS: dict[str, type[Mechanism]] = {
    mechanism.name: mechanism
    for mechanism in (
        FullDisclosure,
        Ladder,
        ParameterFreeLadder,
        SignificanceLadder,
        LadderBoot,
        BayesBootLadder,
        BayesBootLadderBoot,
        ShakyLadder,
        Thresholdout,
        SpendingLadder,
        WitnessLadder,
        Certifier,
        Silent,
    )
}

DEFAULT_MECHANISM: type[Mechanism] = WitnessLadder
"""What a holdout or a competition takes unless told otherwise."""
GATE_MECHANISM = Certifier
"""What `holdout init --gate` takes: for who steers by data of their own."""
REFERENCE_MECHANISM: type[Mechanism] = FullDisclosure
"""What hosting platforms do: boards of other mechanisms are compared with it."""


def find_class(name: str) -> type[Mechanism] | None:
    """The mechanism whose class has that name; None where there is none."""
    return next((made for made in MECHANISMS.values() if made.__name__ == name), None)


def list_compared() -> tuple[str, ...]:
    """The mechanisms that `replay` and `audit_records` ask unless told otherwise."""
    return tuple(name for name, made in MECHANISMS.items() if made.is_compared)


def make_mechanism(mechanism: "str | type[Mechanism] | Mechanism | None", **parameters: object) -> Mechanism:
    """The mechanism of that name or class with those parameters; an object is returned as it is, None is the default.

    >>> make_mechanism("ladder", step_size=0.01)
    Ladder(step_size=0.01, submissions=1000)
    """
    if isinstance(mechanism, Mechanism):
        return mechanism
    made = mechanism if isinstance(mechanism, type) else MECHANISMS.get(mechanism or DEFAULT_MECHANISM.name)
    if made is None or not issubclass(made, Mechanism):
        raise ParameterError(unknown_name("mechanism", str(mechanism), MECHANISMS))
    try:
        return made(**parameters)
    except TypeError:
        known = ", ".join(field.name for field in fields(made)) or "none"
        raise ParameterError(f"{made.name} takes the parameters {known}; given: {', '.join(parameters)}") from None


def refuse_certifying(mechanism: Mechanism, why: str) -> None:
    """Refuse a mechanism that only certifies where a board is meant; ``why`` ends the sentence."""
    if mechanism.certifies:
        raise ParameterError(
            f"{mechanism.name} only certifies what was chosen on other data: {why}; take another mechanism, such as "
            f"{DEFAULT_MECHANISM.name}"
        )


def require_scores(mechanism: Mechanism, why: str) -> None:
    """Refuse a mechanism that shows no scores where nothing can be done without them; ``why`` ends the sentence."""
    if not mechanism.shows_scores:
        raise ParameterError(
            f"{mechanism.name} shows no scores: {why}; take another mechanism, such as {DEFAULT_MECHANISM.name}"
        )
