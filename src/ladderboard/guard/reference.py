"""The pinned reference of a guard, and the answers to "not worse than it?"."""

import math
from dataclasses import dataclass

from ladderboard.core.errors import GuardFileError, ParameterError, UndefinedMetricError
from ladderboard.core.records import Evaluation, State
from ladderboard.guard.file import GuardFile, GuardTransaction
from ladderboard.guard.file_schema import pack, unpack
from ladderboard.inference.non_inferiority import find_smallest_margin, non_inferiority_p_value
from ladderboard.mechanisms.base import AnswerTest, Mechanism, count_answers
from ladderboard.metrics.answer_key import AnswerKey, fingerprint
from ladderboard.metrics.inputs import Array

MARGIN = 0.005
"""The loss that "not worse" forgives unless told otherwise, in the metric's unit."""


@dataclass(frozen=True)
class ReferenceAnswer:
    """The answer to "not worse than the pinned reference, give or take the margin?".

    ``not_worse`` False means "not shown", never "worse". ``question`` is its number over all runs, None where nothing
    was asked because the predictions are the reference's own. ``reference`` is the attempt that was pinned, None if
    those predictions were never scored. ``is_repeat``: this question was answered before and cost nothing now.
    """

    not_worse: bool
    margin: float
    question: int | None
    reference: int | None
    is_repeat: bool = False


@dataclass(frozen=True)
class ReferenceStatus:
    """What anyone who holds the guard may know of its reference.

    ``reference`` is the attempt that was pinned, None if nothing is, or if those predictions had not been scored then.
    ``questions`` counts every "not worse?" that was charged, whatever was pinned at the time; ``yes`` those shown.
    """

    is_pinned: bool
    reference: int | None
    questions: int
    yes: int


@dataclass(frozen=True, eq=False)
class Pinned:
    """The predictions that are pinned: their id, the attempt they were, and what they say."""

    submission: str
    attempt: int | None
    predictions: Array


def pin_predictions(transaction: GuardTransaction, submission: bytes, predictions: Array) -> None:
    """Pin predictions that may never have been scored; it tells nothing and spends nothing."""
    row = transaction.find_row("SELECT attempt FROM releases WHERE submission = ?", (submission,))
    _write_reference(transaction, submission, None if row is None else row[0], predictions)


def pin_attempt(guard: GuardFile, attempt: int | None = None) -> int:
    """Pin an attempt whose predictions the guard keeps: the entry on the board, or the last proven one."""
    with guard.transact() as transaction:
        query = "SELECT r.attempt, r.submission FROM releases r JOIN incumbent USING (submission) ORDER BY 1"
        kept = dict(transaction.find_rows(query))
        if not kept:
            raise GuardFileError("nothing was accepted yet; score an entry first, or pin the predictions themselves")
        chosen = max(kept) if attempt is None else attempt
        if chosen not in kept:
            names = " and ".join(str(one) for one in kept)
            raise GuardFileError(
                f"the predictions of attempt {chosen} are not kept, only those of {names}; pin the file"
            )
        _write_reference(transaction, kept[chosen], chosen, transaction.predictions_of(kept[chosen].hex()))
    return chosen


def _write_reference(transaction: GuardTransaction, submission: bytes, attempt: int | None, predictions: Array) -> None:
    statement = "INSERT OR REPLACE INTO reference VALUES (1, ?, ?, ?, ?)"
    transaction.write(statement, (submission, attempt, *pack(predictions)))


def answer_not_worse(
    guard: GuardFile, key: AnswerKey, mechanism: Mechanism, predictions: Array, *, margin: float
) -> ReferenceAnswer:
    """Answer one question about predictions that ``key`` has read; every new question is counted."""
    submission = fingerprint(predictions, guard.settings.secret).hex()
    candidate = key.evaluate(predictions, submission=submission)
    _check_margin(margin)
    with guard.transact() as transaction:
        pinned = read_pinned(transaction)
        if submission == pinned.submission:
            return ReferenceAnswer(True, margin, None, pinned.attempt)
        stored = _find_answer(transaction, submission, pinned, margin)
        if stored is not None:
            return stored
        reference = key.evaluate(pinned.predictions, submission=pinned.submission)
        test = _require_test(mechanism, transaction.state, candidate, margin)
        not_worse = _judge(test, candidate, reference, margin)
        answers, yes = count_answers(transaction.state)
        state = transaction.state.with_memory(answers=answers + 1, yes=yes + not_worse)
        names = (bytes.fromhex(submission), bytes.fromhex(pinned.submission))
        transaction.write("INSERT INTO answers VALUES (?, ?, ?, ?, ?)", (answers + 1, *names, margin, not_worse))
        transaction.write_progress(state, mechanism.leakage(state, key.yardstick))
    return ReferenceAnswer(not_worse, margin, answers + 1, pinned.attempt)


def read_reference_status(guard: GuardFile) -> ReferenceStatus:
    """Read what is pinned and how often it was asked about; needs no labels, and no right to write."""
    with guard.use() as connection:
        row = connection.execute("SELECT attempt FROM reference").fetchone()
    return ReferenceStatus(row is not None, None if row is None else row[0], *count_answers(guard.progress()[0]))


def read_pinned(transaction: GuardTransaction) -> Pinned:
    """Read the reference; refuse where there is none."""
    row = transaction.find_row("SELECT submission, attempt, encoding, predictions FROM reference")
    if row is None:
        raise GuardFileError("no reference is pinned; pin the deployed model first: `ladderboard holdout pin`")
    return Pinned(row[0].hex(), row[1], unpack(row[2], row[3]))


def _find_answer(
    transaction: GuardTransaction, submission: str, pinned: Pinned, margin: float
) -> ReferenceAnswer | None:
    query = "SELECT question, not_worse FROM answers WHERE submission = ? AND reference = ? AND margin = ?"
    row = transaction.find_row(query, (bytes.fromhex(submission), bytes.fromhex(pinned.submission), margin))
    return None if row is None else ReferenceAnswer(bool(row[1]), margin, row[0], pinned.attempt, is_repeat=True)


def _check_margin(margin: float) -> None:
    if not 0 < margin < math.inf:
        raise ParameterError(f"the margin is {margin}; it must be positive: the loss that you would accept")


def _require_test(mechanism: Mechanism, state: State, candidate: Evaluation, margin: float) -> AnswerTest:
    """Get the test; refuse where none would hold, and where not even the reference itself could pass it."""
    test = mechanism.answer_test(state, candidate)
    if test is None:
        raise ParameterError(
            f'{mechanism.name} shows its scores on all items, so "not worse" could be learnt from them; '
            "use a guard with the witness_ladder"
        )
    items = int(mechanism.witness_share() * candidate.yardstick.units)  # the exact number would tell of the split
    smallest = find_smallest_margin(items, test.level)
    if candidate.yardstick.paired_test == "mcnemar" and margin < smallest:
        raise ParameterError(
            f"a margin of {margin:g} cannot be shown on {items} hidden items at this point, not even for a copy of the "
            f"reference; ask with a margin of {math.ceil(smallest * 1e4) / 1e4:g} or more, or use more items"
        )
    return test


def _judge(test: AnswerTest, candidate: Evaluation, reference: Evaluation, margin: float) -> bool:
    """Whether the margin is shown; a candidate without a score on the hidden items is answered like any other no."""
    try:
        p_value = non_inferiority_p_value(reference.on(test.units), candidate.on(test.units), margin=margin)
    except UndefinedMetricError:
        return False
    return p_value <= test.level
