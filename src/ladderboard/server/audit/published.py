"""A downloaded publication: checked against a ledger, and turned into a competition to replay.

It needs no database and none of the server's libraries: whoever checks a competition should not have to install one.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ladderboard.competition import Competition, Rules, Solution, list_readings, rules_from_json
from ladderboard.competition.metric_choice import load_metric
from ladderboard.competition.solution.digest import compute_digest
from ladderboard.core.errors import InputError, LadderboardError
from ladderboard.core.ledger import canonical, seal
from ladderboard.mechanisms import make_mechanism
from ladderboard.server.audit.audit import Audit, AuditCheck
from ladderboard.tabular import SubmissionFormat

FORMAT = 1
COLUMNS = ("ids", "labels", "usage", "weight", "group")


@dataclass(frozen=True, eq=False)
class Publication:
    """A publication as it was read. Nothing in it is believed before `checks` has found it sound."""

    slug: str
    scoring_version: int
    salt: str
    opening: dict[str, Any]
    rules: Rules
    metric_source: str
    submission_format: Mapping[str, Any]
    solution: Solution
    private_board: dict[str, Any] | None = None
    files: tuple[str, ...] = ()
    """The digests of the solution's files, where there are some."""

    @classmethod
    def from_json(cls, record: Any) -> "Publication":
        """Raises `InputError` where it is no publication."""
        try:
            if record["format"] != FORMAT:
                raise InputError(f"this publication has format {record['format']!r}; this version reads {FORMAT}")
            return cls(
                slug=record["competition"],
                scoring_version=record["scoring_version"],
                salt=_text(record["salt"]),
                opening={name: _text(record["opening"][name]) for name in ("solution", "secret")},
                rules=rules_from_json(record["rules"]),
                metric_source=record["metric_source"],
                files=_texts(record.get("files", [])),
                submission_format=record["submission_format"],
                solution=_solution(record["solution"], record["columns"]),
                private_board=record["private_board"],
            )
        except (LookupError, TypeError, ValueError, AttributeError) as problem:
            raise InputError(f"this is no publication of a competition ({type(problem).__name__}: {problem})") from None

    @cached_property
    def committed_rules(self) -> Rules:
        """The rules as they were committed to: a default that they do not state may have been another one then."""
        readings = (one for one in list_readings(self.rules) if self._compute_digest(one) == self.opening["solution"])
        return next(readings, self.rules)

    @property
    def secret(self) -> bytes:
        return bytes.fromhex(str(self.opening["secret"]))

    def digest(self) -> str:
        """The digest of the solution that was published."""
        return self._compute_digest(self.committed_rules)

    def _compute_digest(self, rules: Rules) -> str:
        mechanism = make_mechanism(rules.mechanism, **rules.mechanism_parameters)
        return compute_digest(rules, self.solution, mechanism, self.metric_source, files=self.files)

    def competition(self) -> Competition:
        """The competition to replay; a metric of its own can only be run from its folder."""
        if {"file", "program"} & set(self.rules.metric_options):
            raise InputError(
                "this competition has a metric of its own; read its text in the publication, and where you trust it, "
                "replay with the competition's folder"
            )
        rules = self.committed_rules
        return Competition(
            rules=rules,
            solution=self.solution,
            metric=load_metric(rules, None),
            mechanism=make_mechanism(rules.mechanism, **rules.mechanism_parameters),
            format=SubmissionFormat.from_wire(self.submission_format, self.solution.ids),
        )

    def checks(self, audit: Audit) -> Iterator[AuditCheck]:
        """Whether the publication is what a (sound) ledger committed to."""
        sealed = seal(self.salt, self.opening)
        entries = [seq for seq, commitment in audit.commitments if commitment == sealed]
        if not entries:
            seq = audit.commitments[-1][0] if audit.commitments else 1
            yield AuditCheck(
                "commitment", "broken", f"the published secret and digest are not what entry {seq} sealed", seq
            )
            return
        yield AuditCheck("commitment", "sound", f"the published secret and digest are what entry {entries[-1]} sealed")
        older = [seq for seq, commitment in audit.commitments if commitment != sealed]
        if older:
            yield AuditCheck(
                "commitment", "not checked", f"entry {older[0]} sealed an older solution, which was corrected"
            )
        yield self._check_digest(entries[-1])
        if audit.result is not None:
            yield self._check_board(*audit.result)

    def _check_board(self, seq: int, revealed: str) -> AuditCheck:
        try:
            is_same = hashlib.sha256(canonical(self.private_board)).hexdigest() == revealed
        except ValueError:  # NaN is no JSON and has no hash
            is_same = False
        if is_same:
            return AuditCheck("private board", "sound", f"the private board is the one that entry {seq} revealed")
        return AuditCheck("private board", "broken", f"the private board is not the one that entry {seq} revealed", seq)

    def _check_digest(self, seq: int) -> AuditCheck:
        try:
            is_same = self.digest() == self.opening["solution"]
        except (LadderboardError, TypeError, ValueError) as problem:
            return AuditCheck("solution", "broken", f"the published solution cannot be read: {problem}", seq)
        rows = len(self.solution.ids)
        if is_same:
            words = f"{rows} labels, their split, the metric and the mechanism are what was committed to"
            return AuditCheck("solution", "sound", words)
        return AuditCheck(
            "solution", "broken", f"the published {rows} labels, split or rules are not those of entry {seq}", seq
        )


def make_unchecked() -> AuditCheck:
    """Make the check of a commitment whose solution is not available."""
    return AuditCheck("commitment", "not checked", "the solution is not published (or was not given)")


def _text(value: Any) -> str:
    """Text that can be hashed; raises ValueError."""
    str(value).encode()
    return str(value)


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError(f"files is {values!r}, not a list")
    return tuple(map(_text, values))


def _solution(columns: Mapping[str, Sequence[Any] | None], names: Sequence[str]) -> Solution:
    ids, labels, usage, weight, group = (columns[name] for name in COLUMNS)
    if ids is None or labels is None or usage is None or not len(ids) == len(labels) == len(usage):
        raise ValueError("every row needs an id, a label and a usage")
    return Solution(
        ids=np.asarray(ids),
        labels=np.asarray(labels),
        usage=np.asarray(usage),
        id_column=names[0],
        label_columns=tuple(names[1:]),
        weight=None if weight is None else np.asarray(weight, dtype=np.float64),
        group=None if group is None else np.asarray(group),
    )
