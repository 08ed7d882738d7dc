"""The settings that a guard was made with: recorded once, and compared with what is given when it is opened again."""

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from ladderboard.core.errors import GuardFileError, WrongLabelsError
from ladderboard.core.randomness import secret_from_seed
from ladderboard.guard.alignment import Alignment
from ladderboard.guard.file_schema import GuardSettings, parameters_to_json
from ladderboard.guard.gains import facts_to_json
from ladderboard.guard.settled_metric import encode_positive
from ladderboard.mechanisms import MECHANISMS, make_mechanism
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric

SALT_BYTES = 16


def make_settings(
    key: AnswerKey, order: Alignment, mechanism: Mechanism, secret: bytes, *, is_kept: bool
) -> GuardSettings:
    """Make the settings of a new guard; one in memory has no hash of labels and ids, since nobody opens it again."""
    salt = os.urandom(SALT_BYTES)
    return GuardSettings(
        metric=key.metric.name,
        metric_parameters=parameters_to_json(_collect_parameters(key.metric)),
        lower_is_better=key.metric.lower_is_better,
        mechanism=mechanism.name,
        mechanism_parameters=parameters_to_json(mechanism.parameters()),
        items=len(key),
        salt=salt,
        labels_hash=_slow_hash(key, salt) if is_kept else b"",
        secret=secret,
        ids_hash=order.digest(secret) if is_kept else None,
        public_facts=facts_to_json(key.yardstick),
        positive=encode_positive(key.positive),
    )


def check_settings(
    made: GuardSettings,
    key: AnswerKey,
    order: Alignment,
    *,
    path: Path,
    mechanism: str | type[Mechanism] | Mechanism | None,
    seed: int | None,
) -> None:
    """Refuse settings that differ from those the guard was made with."""
    parameters = _collect_parameters(key.metric)
    if (made.metric, made.metric_parameters) != (key.metric.name, parameters_to_json(parameters)):
        given = f"{key.metric.name} {parameters or ''}".strip()
        raise GuardFileError(
            f"{path} was made with the metric {made.metric}, not {given}; use that one, or another path"
        )
    read_mechanism(made, mechanism, path)
    if seed is not None and secret_from_seed(seed) != made.secret:
        raise GuardFileError(f"{path} was made with another seed; leave seed out, or choose another path")
    if _slow_hash(key, made.salt) != made.labels_hash:
        raise WrongLabelsError(
            f"{path} was made with other labels ({made.items} items then, {len(key)} now), another order of them, "
            "or another weight or group; give the original ones, or choose another path for a new holdout"
        )
    if None not in (made.ids_hash, order.ids) and order.digest(made.secret) != made.ids_hash:
        raise WrongLabelsError(
            f"{path} was made with other ids of the items, or another order of them; give the original ones, or choose "
            "another path for a new holdout"
        )


def read_mechanism(
    made: GuardSettings, given: str | type[Mechanism] | Mechanism | None, path: Path | None = None
) -> Mechanism:
    """Get the mechanism the guard was made with; refuse another one."""
    parameters = json.loads(made.mechanism_parameters)
    if given is None and made.mechanism not in MECHANISMS:
        raise GuardFileError(
            f"{path} was made with the mechanism {made.mechanism}, which is not Ladderboard's; give its object"
        )
    asked = make_mechanism(made.mechanism, **parameters) if given is None else make_mechanism(given)
    if asked.name == made.mechanism and asked == make_mechanism(type(asked)):
        asked = _take_former_defaults(asked, parameters)
    if (asked.name, parameters_to_json(asked.parameters())) != (made.mechanism, made.mechanism_parameters):
        spelled = ", ".join(f"{name}={value}" for name, value in parameters.items())
        raise GuardFileError(
            f"{path} was made with {made.mechanism}({spelled}), not {asked!r}; "
            "leave mechanism out, or choose another path"
        )
    return asked


def _take_former_defaults(asked: Mechanism, recorded: dict[str, Any]) -> Mechanism:
    """The default mechanism as it was when the guard was made, where a default has changed since."""
    former = {name: value for name, value in asked.former_defaults.items() if recorded.get(name) == value}
    return replace(asked, **former) if former else asked


def _collect_parameters(metric: Metric) -> dict[str, Any]:
    """Collect the plain values a metric was made with; functions and tables are left out."""
    plain = (bool, int, float, str, type(None))
    return {name: value for name, value in vars(metric).items() if name[0] != "_" and isinstance(value, plain)}


def _slow_hash(key: AnswerKey, salt: bytes) -> bytes:
    """Hash the labels' digest with scrypt, so that a finder of the file cannot try labels quickly."""
    return hashlib.scrypt(key.digest(), salt=salt, n=2**14, r=8, p=1, dklen=32)
