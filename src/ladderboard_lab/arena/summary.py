"""The results of an arena: means over repetitions, the strongest setting of each attack, a row for each mechanism."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ladderboard_lab.arena.arena import Arena, Record
from ladderboard_lab.arena.variants import REFERENCE
from ladderboard_lab.attack_runs import Status
from ladderboard_lab.attacks import ATTACKS

ERROR_RATE_PROBLEMS = (
    "coin_flips",
    "tenth_known",
    "third_known",
    "two_fifths_known",
    "half_known",
    "most_known",
    "ten_classes",
)
"""The problems on whose scale, the error rate, honest streams are measured too."""
MANY_ACCOUNTS = tuple(name for name, attack in ATTACKS.items() if attack.has_many_accounts)
"""Attacks that no mechanism with an instance per team can withstand; they are shown, and not counted as the worst."""


@dataclass(frozen=True)
class AttackRow:
    """One setting of one attack against one mechanism: means over the repetitions, fields as in `AttackRun`."""

    mechanism: str
    attack: str
    setting: str
    problem: str
    status: Status
    reason: str
    runs: int
    overfit: float | None
    overfit_standard_error: float | None
    overfit_before_final: float | None
    final_overfit: float | None
    revealed: float | None
    estimate_error: float | None
    submissions: float
    accepts: float
    bits: float | None

    @property
    def strength(self) -> float:
        """By what the settings of an attack are compared: what it revealed, how near it came, or else its overfit."""
        if self.revealed is not None:
            return self.revealed
        if self.estimate_error is not None:
            return -self.estimate_error
        return -np.inf if self.overfit is None else self.overfit


@dataclass(frozen=True)
class HonestRow:
    """One mechanism on one kind of stream: means over the repetitions, fields as in `honest.HonestResult`.

    ``ratio`` is the mean error divided by full disclosure's on the same streams.
    """

    mechanism: str
    stream: str
    status: Status
    reason: str
    mean_error: float | None
    ratio: float | None
    leaderboard_error: float | None
    lag: float | None
    accepts: float
    kendall_tau: float | None


@dataclass(frozen=True)
class MechanismRow:
    """One mechanism: its worst attack, and its honest streams on average."""

    mechanism: str
    worst_overfit: float | None
    worst_attack: str
    honest_ratio: float | None
    mean_error: float | None
    leaderboard_error: float | None
    lag: float | None
    kendall_tau: float | None
    most_accepts: float
    most_bits: float | None


@dataclass(frozen=True)
class ArenaSummary:
    """All three tables of an arena."""

    arena: Arena
    attacks: Sequence[AttackRow]
    honest: Sequence[HonestRow]
    mechanisms: Sequence[MechanismRow]

    def strongest(self, mechanism: str, attack: str) -> AttackRow:
        """The setting of the attack that hurts this mechanism most; the same ones are tried against all."""
        rows = [row for row in self.attacks if (row.mechanism, row.attack) == (mechanism, attack)]
        return max(rows, key=lambda row: row.strength)


def summarise(arena: Arena) -> ArenaSummary:
    """The tables of an arena, in the order of its plan."""
    attacks = [_attack_row(group) for group in _groups(arena, "attack", ("mechanism", "attack", "setting"))]
    honest_groups = _groups(arena, "honest", ("stream", "mechanism"))
    reference = {
        group[0]["stream"]: _mean(group, "mean_error") for group in honest_groups if group[0]["mechanism"] == REFERENCE
    }
    honest = [_honest_row(group, reference[group[0]["stream"]]) for group in honest_groups]
    rows = [_mechanism_row(name, attacks, honest) for name in arena.plan.make_mechanisms()]
    return ArenaSummary(arena, attacks, honest, rows)


def _groups(arena: Arena, kind: str, keys: tuple[str, ...]) -> list[list[Record]]:
    """Records that differ in their repetition only."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in arena.records:
        if record["kind"] == kind:
            groups.setdefault(tuple(record[key] for key in keys), []).append(record)
    return list(groups.values())


def _attack_row(group: list[Record]) -> AttackRow:
    first = group[0]
    overfits = _present(record["overfit"] for record in group)
    error = float(np.std(overfits, ddof=1) / np.sqrt(len(overfits))) if len(overfits) > 1 else None
    return AttackRow(
        mechanism=first["mechanism"],
        attack=first["attack"],
        setting=first["setting"],
        problem=first["problem"],
        status=_status(group),
        reason=first["reason"],
        runs=len(group),
        overfit=_mean(group, "overfit"),
        overfit_standard_error=error,
        overfit_before_final=_mean(group, "overfit_before_final"),
        final_overfit=_mean(group, "final_overfit"),
        revealed=_mean(group, "revealed"),
        estimate_error=_mean(group, "estimate_error"),
        submissions=_mean(group, "submissions") or 0.0,
        accepts=_mean(group, "accepts") or 0.0,
        bits=_mean(group, "bits"),
    )


def _honest_row(group: list[Record], reference: float | None) -> HonestRow:
    first, error = group[0], _mean(group, "mean_error")
    return HonestRow(
        mechanism=first["mechanism"],
        stream=first["stream"],
        status=_status(group),
        reason=first["reason"],
        mean_error=error,
        ratio=None if error is None or not reference else error / reference,
        leaderboard_error=_mean(group, "leaderboard_error"),
        lag=_mean(group, "lag"),
        accepts=_mean(group, "accepts") or 0.0,
        kendall_tau=_mean(group, "kendall_tau"),
    )


def _mechanism_row(name: str, attacks: Sequence[AttackRow], honest: Sequence[HonestRow]) -> MechanismRow:
    fought = [row for row in attacks if row.mechanism == name and row.attack not in MANY_ACCOUNTS]
    counted = [row for row in fought if row.problem in ERROR_RATE_PROBLEMS and row.overfit is not None]
    worst = max(counted, key=lambda row: row.overfit or 0.0, default=None)
    shown = [row for row in honest if row.mechanism == name]
    bits = [row.bits for row in counted]
    return MechanismRow(
        mechanism=name,
        worst_overfit=None if worst is None else worst.overfit,
        worst_attack="" if worst is None else worst.attack,
        honest_ratio=_average(row.ratio for row in shown),
        mean_error=_average(row.mean_error for row in shown),
        leaderboard_error=_average(row.leaderboard_error for row in shown),
        lag=_average(row.lag for row in shown),
        kendall_tau=_average(row.kendall_tau for row in shown),
        most_accepts=max((row.accepts for row in counted), default=0.0),
        most_bits=None if None in bits else max(_present(bits), default=None),
    )


def _status(group: list[Record]) -> Status:
    """Spent where any run was; a refusal does not depend on the run."""
    found = {record["status"] for record in group}
    return "refused" if "refused" in found else "spent" if "spent" in found else "ok"


def _mean(group: list[Record], key: str) -> float | None:
    return _average(record[key] for record in group)


def _average(values: Iterable[float | None]) -> float | None:
    numbers = _present(values)
    return float(np.mean(numbers)) if numbers else None


def _present(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]
