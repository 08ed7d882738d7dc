"""The base class of mechanisms: rules that turn a submission into a Release.

A mechanism is a frozen value (its parameters). `start` makes the first State from the public baseline, `step` turns a
State and a submission into the next State and a Release. There is no hidden state: the same state, evaluations and
generator give the same release. Mechanisms never see labels.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ladderboard.core.errors import HoldoutSpentError, LadderboardError, UndefinedMetricError
from ladderboard.core.precision import Z, follows_from_value, released_standard_error, round_up, standard_error_steps
from ladderboard.core.records import Budget, Evaluation, Leakage, Proof, Release, State, Subset, Yardstick
from ladderboard.core.score_format import ScoreFormat
from ladderboard.core.ties import round_half
from ladderboard.mechanisms.participant_words import ParticipantWords

Family = Literal["disclosure", "step", "significance", "bootstrap", "noise", "own", "silence"]
"""What a mechanism's protection rests on: nothing, a step, a test, resampling, noise, one of our own rules, silence."""


class BoardSize(NamedTuple):
    """How large a board is, for parameters that depend on it."""

    items: int
    submissions: int


Parameters = Mapping[str, Any]
Variants = Mapping[str, Parameters | Callable[[BoardSize], Parameters]]


class EntryTest(NamedTuple):
    """The test of a first submission against the baseline."""

    share: float
    """The share of the units that it looks at."""
    alpha: float
    """Its level at the first attempt."""


class AnswerTest(NamedTuple):
    """The test behind an answer to "not worse than the reference?"."""

    units: Subset
    """The units that it looks at: rejections tell nothing about them."""
    level: float


class Hurdle(NamedTuple):
    """What a gain must clear to be accepted: ``fixed``, and ``errors`` standard errors of the gain itself."""

    share: float
    """The share of the units that it is measured on."""
    fixed: float = 0.0
    """In units of the score."""
    errors: float = 0.0
    noise: float = 0.0
    """The standard deviation of noise in the comparison."""


class ProofTest(NamedTuple):
    """The test of the word "improved" after the next accept."""

    share: float
    """The share of the units that it looks at."""
    level: float
    foreseen_level: float
    """The p-value on the other units up to which the test is made at all."""


class Word(NamedTuple):
    """What a test of "improved" found; it may also not have been made."""

    improved: bool
    has_failed: bool = False


@dataclass(frozen=True)
class Ruling:
    """What a mechanism decides about one attempt, in the metric's natural direction.

    ``value`` is told for this attempt and ``board_value`` shown on the board; ``memory`` replaces entries of the
    state's memory. ``is_reference``: without being accepted, the candidate is what later ones are compared with.
    """

    accepted: bool
    improved: bool
    value: float | None
    board_value: float | None
    memory: Mapping[str, float] = field(default_factory=dict)
    is_reference: bool = False


@dataclass(frozen=True)
class Mechanism(ABC):
    """A rule that turns submissions into releases.

    To write one: a frozen dataclass whose fields are its parameters, its traits as class attributes, and `rule`. Every
    trait below must be declared on the class or on a base of several mechanisms: there are no defaults, and nothing
    else in the project knows a mechanism by its name. Losses are lower-is-better inside (`Evaluation.loss`), releases
    are in the metric's natural direction (`Yardstick.score`).
    """

    name: ClassVar[str]
    """Its key in `MECHANISMS`, in competition.toml and in the name of its theory page."""
    label: ClassVar[str]
    """A short name for tables."""
    family: ClassVar[Family]
    promise: ClassVar[str]
    """What it promises, in one line for organisers; its docstring has the statement and the assumptions."""
    words: ClassVar[ParticipantWords]
    """What pages say about it."""
    shows_scores: ClassVar[bool]
    """Whether scores are shown before the reveal; a board without them lists teams by name, with their attempts."""
    has_gate: ClassVar[bool]
    """Whether the board's number changes only after a comparison with the test set; else it is the best raw score."""
    tells_every_attempt: ClassVar[bool]
    """Whether an attempt that does not change the board is answered with a number of its own (by default)."""
    may_fall: ClassVar[bool]
    """Whether the board's number may become worse."""
    corrects_for_attempts: ClassVar[bool]
    """Whether the word "improved" is corrected for the number of attempts."""
    starts_from_baseline: ClassVar[bool]
    """Whether the first submission is tested against the baseline, whose score is then on the board from the start."""
    has_intervals: ClassVar[bool]
    """Whether an interval around a number on the board covers the entry's true score, also after many attempts."""
    releases_standard_error: ClassVar[bool]
    """Whether an accept tells the entry's standard error too, for metrics whose interval needs one."""
    is_noisy: ClassVar[bool]
    """Whether releases carry noise."""
    has_budget: ClassVar[bool]
    """Whether it answers only so many times; `tell_budget` then says how many."""
    needs_training_score: ClassVar[bool]
    """Whether a submission must state its score on the training set."""
    satisfies_theorem_3_1: ClassVar[bool]
    """Whether Theorem 3.1 of Blum & Hardt bounds its error; `plan` then relies on it."""
    is_compared: ClassVar[bool]
    """Whether `replay` and `audit-records` ask it unless told otherwise."""
    variants: ClassVar[Variants]
    """Name → the parameters under which papers and platforms run it; the laboratory's arena compares them all."""

    certifies: ClassVar[bool] = False
    """Whether it only certifies gains of those who steer by data of their own: the first submission is the reference of
    later ones and gets no number, and neither does any other without a certificate. Competitions refuse such a one."""
    alternative: ClassVar["type[Mechanism] | None"] = None
    """The mechanism to take where a holdout is too small for this one."""
    former_defaults: ClassVar[Mapping[str, float]] = {}
    """Parameters that once had another default, with it: what was made then keeps it."""

    @classmethod
    def make_variants(cls, *, items: int, submissions: int) -> "dict[str, Mechanism]":
        """The mechanisms of `variants` for a board of that size."""
        board = BoardSize(items, submissions)
        return {name: cls(**(given(board) if callable(given) else given)) for name, given in cls.variants.items()}

    def start(self, baseline: Evaluation, setup_rng: np.random.Generator) -> State:
        """The state before the first attempt. ``setup_rng`` is for secrets that last, such as a split."""
        self.check(baseline)
        if not self.starts_from_baseline:
            return State()
        error = round_up(baseline.yardstick.null_standard_error) if self.releases_standard_error else None
        return State(released=self.baseline_value(baseline), standard_error=error)

    def step(
        self,
        state: State,
        candidate: Evaluation,
        incumbent: Evaluation,
        rng: np.random.Generator,
        *,
        proven: Evaluation | None = None,
    ) -> tuple[State, Release]:
        """Judge one attempt.

        ``incumbent`` and ``proven`` are the evaluations of ``state.incumbent`` and ``state.proof.submission``, at
        first the baseline's. Without ``proven`` the incumbent stands in for it, which is harder to beat.

        Where the metric has no value for the candidate on the rows that count, the attempt is charged and answered as
        an ordinary rejection, since an error would tell which rows those are.
        """
        if self.is_spent(state):
            raise HoldoutSpentError(
                f"the budget of {self.name} is used up after {state.attempts} attempts; "
                f"it shows no more scores. Collect a fresh holdout, or report the last one: {state.released}"
            )
        turn = replace(state, attempts=state.attempts + 1)
        try:
            ruling = self.rule(turn, candidate, incumbent, rng)
        except UndefinedMetricError:
            ruling = self.answer_undefined(turn, incumbent, rng)
        if not isinstance(ruling, Ruling):
            raise LadderboardError(f"{self.name}: rule returned {type(ruling).__name__}; it must return a Ruling")
        for number in (ruling.value, ruling.board_value):
            if number is not None and not math.isfinite(number):
                raise LadderboardError(f"{self.name}: rule returned {number}; a number on a board must be finite")
        return self._conclude(turn, ruling, candidate, proven or incumbent)

    @abstractmethod
    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        """Decide. ``state.attempts`` already counts this attempt (t), ``state.accepts`` those before it (A)."""

    def check(self, baseline: Evaluation) -> None:
        """Raise a `ParameterError` or `LabelsError` where this mechanism cannot serve this holdout."""
        return

    def baseline_value(self, baseline: Evaluation) -> float:
        """The baseline's published score."""
        return baseline.score

    def is_spent(self, state: State) -> bool:
        """Whether the budget is used up."""
        return False

    def entry_test(self) -> EntryTest | None:
        """The test of a first submission; None where there is none."""
        return None

    def hurdle(self, state: State, yardstick: Yardstick, standard_error: float) -> Hurdle | None:
        """What the next gain over the entry on the board must clear; None where every score is shown or none is.

        ``standard_error`` is that of the entry on the board. It must be computable from what its team may know.
        """
        return None

    def proof_test(self, state: State) -> ProofTest | None:
        """The test behind "improved" after the next accept; None where an accept decides the word too."""
        return None

    def tells_own_number(self) -> bool:
        """Whether the number told for a rejected attempt is that attempt's own, and not the stored one."""
        return self.tells_every_attempt

    def list_parts(self, state: State, evaluation: Evaluation) -> tuple[Subset, ...]:
        """The parts of the holdout that are scored apart: the metric must have a value on each of them."""
        return ()

    def answer_test(self, state: State, evaluation: Evaluation) -> AnswerTest | None:
        """The test behind the next answer to "not worse than the reference?"; None where no level would hold."""
        return None

    def tell_budget(self, state: State) -> Budget | None:
        """The budget as participants may know it; None if there is none.

        It must be computable from those releases and what is public: it is shown to the team without being asked for.
        """
        return None

    def tells_new_numbers(self) -> bool:
        """Whether a rejected attempt too is answered with a number that was not told before."""
        return self.tells_own_number()

    def leakage(self, state: State, yardstick: Yardstick) -> Leakage:
        """The information released so far.

        Noise does not matter: whatever was drawn, the transcript is one of as many as without it.
        """
        from ladderboard.core.bounds import leakage_bits, overfit_bound

        if self.tells_new_numbers():
            bits = state.attempts * math.log2(self.values_per_release(yardstick))
        else:
            bits = leakage_bits(state.attempts, state.accepts, self.values_per_accept(yardstick))
        bits += leakage_bits(*count_answers(state), 1)
        bound = overfit_bound(bits, yardstick.hoeffding_units, yardstick.bounds)
        return Leakage(state.attempts, state.accepts, bits, bound)

    def values_per_accept(self, yardstick: Yardstick) -> float:
        """How many answers an accept can be: V numbers, times W where its standard error says more than the number."""
        tells_more = self.releases_standard_error and not follows_from_value(yardstick)
        return self.values_per_release(yardstick) * (standard_error_steps() if tells_more else 1)

    def values_per_release(self, yardstick: Yardstick) -> float:
        """V: how many numbers a release can be."""
        return yardstick.grid(self.grid_fraction()).size

    def grid_fraction(self) -> float:
        """The step of the grid of releases, in null standard errors."""
        return 0.5

    def score_format(self, yardstick: Yardstick) -> ScoreFormat:
        """How people read its numbers: with the digits that it releases; as each needs them where it fixes none."""
        return ScoreFormat()

    def repeat_number(self, state: State) -> Ruling:
        """The ruling of a rejection: the stored number again, never a fresh one."""
        return Ruling(False, False, state.released, state.released)

    def answer_undefined(self, state: State, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        """The answer where the candidate has no score; it must look like any other rejection of this mechanism."""
        return self.repeat_number(state)

    def find_word(self, state: State, ruling: Ruling, candidate: Evaluation, proven: Evaluation) -> Word:
        """Whether "improved" is said for an accepted candidate; ``state.accepts`` already counts this accept.

        As the ruling says, unless a mechanism tests the candidate against the last proven entry.
        """
        return Word(ruling.improved)

    def witness_share(self) -> float:
        """The share of the units that a released number rests on, for its interval."""
        return 1.0

    def tell_interval(self, state: State, yardstick: Yardstick) -> tuple[float, float] | None:
        """The 95 % interval of the number on the board; None where there is none."""
        return self.make_interval(state.released, state.standard_error, yardstick)

    def make_interval(
        self, value: float | None, standard_error: float | None, yardstick: Yardstick, *, z: float = Z
    ) -> tuple[float, float] | None:
        """The interval of a released value with its released standard error; None where none would be right."""
        if value is None or not self.has_intervals:
            return None
        ends = [
            yardstick.interval(end, standard_error, share=self.witness_share(), z=z)
            for end in self.bracket_rounding(value, yardstick)
        ]
        return None if ends[0] is None or ends[-1] is None else (ends[0][0], ends[-1][1])

    def bracket_rounding(self, value: float, yardstick: Yardstick) -> tuple[float, ...]:
        """The scores that a released value may have been rounded from: the least and the greatest.

        The value itself where its rounding is small beside its standard error.
        """
        return (value,)

    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments, ready for JSON."""
        return asdict(self)

    def _conclude(
        self, turn: State, ruling: Ruling, candidate: Evaluation, proven: Evaluation
    ) -> tuple[State, Release]:
        after = replace(turn, released=ruling.board_value, memory={**turn.memory, **ruling.memory})
        improved = False
        if ruling.is_reference:
            after = replace(after, incumbent=candidate.submission)
        if ruling.accepted:
            after = replace(
                after,
                accepts=turn.accepts + 1,
                incumbent=candidate.submission,
                standard_error=self._own_standard_error(candidate, ruling.board_value),
            )
            improved, has_failed = self.find_word(after, ruling, candidate, proven)
            if has_failed and after.failed is not None:
                after = replace(after, failed=after.failed + 1)
        if improved:
            after = replace(after, proof=Proof(candidate.submission, ruling.board_value, after.accepts))
        return after, Release(
            value=ruling.value,
            board_value=ruling.board_value,
            accepted=ruling.accepted,
            improved=improved,
            attempt=turn.attempts,
            interval=self.tell_interval(after, candidate.yardstick),
            standard_error=after.standard_error,
        )

    def _own_standard_error(self, candidate: Evaluation, value: float | None) -> float | None:
        if not self.releases_standard_error or value is None:
            return None
        return released_standard_error(value, candidate.contributions, candidate.yardstick)


def count_answers(state: State) -> tuple[int, int]:
    """How often "not worse than the reference?" was answered, and how often with yes."""
    return int(state.memory.get("answers", 0)), int(state.memory.get("yes", 0))


def round_to(value: float, step: float) -> float:
    """[x]_step: x rounded to the nearest multiple of ``step``.

    >>> round_to(0.8763, 0.1), round_to(0.8763, 0.01), round_to(0.8763, 0.001)
    (0.9, 0.88, 0.876)
    """
    multiple = round_half(value / step)
    # Dividing by the inverse gives the shortest decimal where the step is 1/integer (0.9, not 0.9000000000000001).
    inverse = 1 / step
    return multiple / round(inverse) if abs(inverse - round(inverse)) < 1e-6 * inverse else multiple * step


def rounded_values(yardstick: Yardstick, step: float) -> float:
    """V where releases are multiples of ``step``, or the bounds that cut them off (hence 2, not 1, beside the steps).

    Unbounded metrics are counted as far as the finite grid reaches.
    """
    low, high = yardstick.bounds
    if not math.isfinite(high - low):
        grid = yardstick.grid(1.0)
        low, high = grid.low, grid.high
    return (high - low) / step + 2


def clip_to_bounds(score: float, yardstick: Yardstick) -> float:
    """The score, or the end of the metric's bounds that noise or rounding carried it over."""
    low, high = yardstick.bounds
    return min(max(score, low), high)


def standard_error(incumbent: Evaluation, units: int) -> float:
    """SE: the sd of the incumbent's contributions over √units, at least SE_min, so that no step shrinks to nothing."""
    return max(incumbent.spread / math.sqrt(units), incumbent.yardstick.smallest_standard_error)
