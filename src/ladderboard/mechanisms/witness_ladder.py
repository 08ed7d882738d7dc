"""The Witness Ladder: a secret third of the holdout decides, the rest confirms the released score."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ladderboard.core.bounds import answers_probability
from ladderboard.core.errors import LabelsError, ParameterError, UndefinedMetricError
from ladderboard.core.records import Evaluation, State, Subset, Yardstick
from ladderboard.core.score_format import ScoreFormat
from ladderboard.core.ties import is_at_most, is_lower
from ladderboard.inference.pairwise import paired_p_value
from ladderboard.mechanisms.base import (
    AnswerTest,
    EntryTest,
    Family,
    Hurdle,
    Mechanism,
    ProofTest,
    Ruling,
    Variants,
    Word,
    count_answers,
    standard_error,
)
from ladderboard.mechanisms.participant_words import KEEPS_SCORE, ONE_PER_TEAM, ParticipantWords
from ladderboard.mechanisms.proof import Rivals, find_foreseen_level, find_level, foresees_proof, passes_former_test
from ladderboard.mechanisms.spending_ladder import SpendingLadder, check_our_parameters

SPLIT_SEED_BOUND = 2**63
BITS_PER_ACCEPT = 5
"""What an accept tells of the witnesses beyond what its analyst can predict: their score varies by √2 standard errors
and is rounded to halves of one (3.5 bits), and there is the word "improved" (1 bit)."""


@dataclass(frozen=True)
class WitnessLadder(Mechanism):
    """The default mechanism. Rejections tell nothing about the witnesses, however many there are.

    A secret split, the same for all teams, makes a gate A (``gate_share`` of the units) and a witness B. Everything
    that decides is the metric evaluated on A alone: against the baseline a paired test at level α/t, afterwards a step
    D ≥ f0·(1 + fA·accepts)·SE. Only on accept is B looked at: the release is the worse of the score on all units and
    the score on B improved by c·sd/√n, on the fixed grid. The board shows the latest release, not the best.

    Parameters
    ----------
    gate_share
        a, the share of units in the gate (1/3).
    first_step, growth
        f0 and fA: the step in standard errors (1/2), and how much of it each accept adds (1/8).
    benefit
        c: how many standard errors the witness's score is improved by before it counts (1).
    grid
        g: the grid's step in null standard errors (1/2).
    alpha
        α of the entry test, and of the word "improved" (.05).

    Notation
    --------
    A, B → the two parts of `Evaluation.split`; D → improvement on A; SE → sd of the incumbent's contributions on A
    divided by √n, n the units of the whole holdout, at least SE_min; R → ``State.released``; L → ``State.accepts``.
    ``State.memory["split_seed"]`` stands for the secret split, ``["answers"]`` and ``["yes"]`` count the answers to
    "not worse than the reference?".

    Guarantee
    ---------
    For i.i.d. items, a secret split, one instance, a mean metric where lower is better:
    (1) decisions use A and past releases only, so B leaks only through the L released numbers, whatever k is;
    (2) L is bounded: the sum of f0(1 + fA·j)·SE_min over 1 ≤ j < L is at most R_A of the first accepted entry;
    (3) on every path R ≥ R_B − c·sd(l)/√n − half a grid step (on the asin grid plus g²/(16n));
    (4) E[R_D − R] ≤ (c + g/2)·SE + √(L·ln(2VW)/(2·n_B)), V the number of grid values, W of standard errors (1 for a
    share of right answers, whose standard error follows from it); the root is loose;
    (5) "improved" is a paired test on B against the last proven entry. After f failed tests it has the level
    α·w(f + 1)/(1 + L/8), Σw = 1, and no level comes back. Were every test made on fresh items, the probability that a
    stream ever hears a false word would be at most α, however it adapts. B is used again, and what L releases told of
    it is paid for by the factor 1 + L/8: for that the claim of one stream in 20 is measured, for honest streams and for
    the attacks of one account. Several accounts share B, and no such claim holds for them. For losses without a bound
    on a continuous scale, an error rarer than about one in n items is unseen;
    (6) a guard that only answers "not worse?" says it wrongly with a probability of α at most, whatever is asked: each
    transcript of answers has its share of the level. Accepted numbers are charged with `BITS_PER_ACCEPT`, and answers
    take their share of the level of "improved".

    Departures
    ----------
    None: this rule is our own. Weak points: an analyst who knows four tenths of the labels, pays for accepts with them
    and takes each for a reading of B gains four to five standard errors of a coin flip, with ten accounts eight; the
    word "improved" has no claim for several accounts together; the split must never leak; an entry barely better than
    the baseline is missed.

    Reference
    ---------
    docs/theory/witness_ladder.md.
    """

    name: ClassVar[str] = "witness_ladder"
    label: ClassVar[str] = "witness"
    family: ClassVar[Family] = "own"
    promise: ClassVar[str] = "rejections tell nothing of the witnesses, who leak only through accepted numbers"
    shows_scores: ClassVar[bool] = True
    has_gate: ClassVar[bool] = True
    tells_every_attempt: ClassVar[bool] = False
    may_fall: ClassVar[bool] = True
    corrects_for_attempts: ClassVar[bool] = True
    starts_from_baseline: ClassVar[bool] = True
    has_intervals: ClassVar[bool] = True
    releases_standard_error: ClassVar[bool] = True
    is_noisy: ClassVar[bool] = False
    has_budget: ClassVar[bool] = False
    needs_training_score: ClassVar[bool] = False
    satisfies_theorem_3_1: ClassVar[bool] = False
    is_compared: ClassVar[bool] = True
    alternative: ClassVar[type[Mechanism]] = SpendingLadder
    variants: ClassVar[Variants] = {"witness": {}}
    former_defaults: ClassVar[Mapping[str, float]] = {"gate_share": 0.5}
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="Witness Ladder",
        lead=(
            "A hidden part of the test set decides whether a file may replace your best one. The rest, which "
            "had no part in that decision, says by how much and whether the gain is proven."
        ),
        steps=(
            (
                "The test set is split once into two hidden parts, the same for all teams: one decides, the "
                "other confirms."
            ),
            (
                "Your first submission must beat a simple public baseline on the deciding part. The test gets "
                "stricter with every attempt."
            ),
            (
                "After that, a submission must beat your best one on the deciding part by a clear step. The step "
                "grows slowly with every submission that is recognised."
            ),
            (
                "Only then is the confirming part used. The score shown is the worse of two: your score on all rows, "
                "and your score on the confirming part with an allowance of one standard error. It is rounded to "
                "steps of half a standard error."
            ),
            KEEPS_SCORE,
        ),
        guarantee=(
            (
                "Submissions that are not recognised release no information about the confirming part, however "
                "many there are. Only the scores shown do, and their number is limited because every step has a "
                "minimum length."
            ),
            (
                "The score shown is never better than the score on the confirming part by more than one standard "
                "error and half a rounding step."
            ),
        ),
        limits=(
            "A first submission that is only slightly better than the baseline may not be recognised.",
            (
                "Someone who already knows four tenths of the labels can use recognised submissions to learn about "
                "the rest. In our measurements that gained four to five standard errors of guessing, and eight with "
                "ten accounts."
            ),
            ONE_PER_TEAM,
        ),
        reading=(
            (
                "The score shown is cautious: the worse of your score on all rows and an independent check of it, "
                "rounded to differences that the test set can resolve. Nobody sees your raw score."
            ),
            "“Improved” means that the confirming part proves an entry better than your last proven one.",
        ),
        source="Designed for Ladderboard, which uses it by default.",
        parameters={
            "gate_share": "the share of the rows in the part that decides",
            "first_step": "the smallest gain that is recognised, in standard errors",
            "growth": "the share by which the smallest recognised gain grows with each one",
            "benefit": "how much better than on the confirming part the score shown may be, in standard errors",
            "grid": "what scores are rounded to, in standard errors of a score without skill",
            "alpha": "the significance level of the first entry, and of the word “improved”",
        },
    )

    gate_share: float = 1 / 3
    first_step: float = 0.5
    growth: float = 1 / 8
    benefit: float = 1.0
    grid: float = 0.5
    alpha: float = 0.05

    def __post_init__(self) -> None:
        check_our_parameters(self.alpha, self.growth, self.grid)
        if not 0 < self.gate_share < 1:
            raise ParameterError(f"gate_share is {self.gate_share}; it must lie between 0 and 1")
        if not self.first_step > 0 or not self.benefit >= 0:
            raise ParameterError("first_step must be positive and benefit must not be negative")

    def start(self, baseline: Evaluation, setup_rng: np.random.Generator) -> State:
        seed = int(setup_rng.integers(SPLIT_SEED_BOUND))
        state = replace(super().start(baseline, setup_rng), memory={"split_seed": seed})
        for part in self.list_parts(state, baseline):
            _check_part(baseline, part)
        return state

    def entry_test(self) -> EntryTest:
        return EntryTest(share=self.gate_share, alpha=self.alpha)

    def list_parts(self, state: State, evaluation: Evaluation) -> tuple[Subset, Subset]:
        return evaluation.split(int(state.memory["split_seed"]), self.gate_share)

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        gate, witness = self.list_parts(state, candidate)
        before, after = incumbent.deciding.on(gate), candidate.deciding.on(gate)
        # All of it is computed for every attempt: the time of a rejection must not tell why it was one.
        is_a_step = is_at_most(after.loss, before.loss, by=self.required_step(state.accepts, before))
        is_significant = is_at_most(paired_p_value(before, after), self.alpha / state.attempts)
        passes = is_a_step if state.accepts > 0 else is_significant and is_lower(after.loss, before.loss)
        if not passes:
            return self.repeat_number(state)
        value = self.testimony(candidate, candidate.on(witness))
        return Ruling(True, False, value, value)

    def find_word(self, state: State, ruling: Ruling, candidate: Evaluation, proven: Evaluation) -> Word:
        """Test the candidate on the witnesses against the proven entry, if the gate foresees that it may pass.

        Answers about the reference have told of the witnesses too; α is shared among their transcripts.
        """
        assert ruling.board_value is not None
        before = state.proof.value if state.proof.value is not None else self.baseline_value(proven)
        is_better = candidate.yardstick.is_better(ruling.board_value, than=before)
        alpha = self.alpha * answers_probability(*count_answers(state))
        gate, witness = self.list_parts(state, candidate)
        rivals = Rivals(proven.deciding, candidate.deciding)
        if state.failed is None:
            return Word(is_better and passes_former_test(rivals, witness, state, alpha))
        level = find_level(alpha, failed=state.failed, readings=state.accepts - 1)
        if not foresees_proof(rivals, gate, witness, level):
            return Word(improved=False)
        has_passed = is_better and is_at_most(rivals.p_value(witness), level)
        return Word(has_passed, has_failed=not has_passed)

    def answer_test(self, state: State, evaluation: Evaluation) -> AnswerTest:
        """On B at level α/(j(j+1)) for answer j, times the share of the transcript of answers and accepted numbers."""
        answers, yes = count_answers(state)
        share = answers_probability(answers, yes) * 2.0 ** (-BITS_PER_ACCEPT * state.accepts)
        level = self.alpha * share / ((answers + 1) * (answers + 2))
        return AnswerTest(self.list_parts(state, evaluation)[1], level)

    def witness_share(self) -> float:
        return 1 - self.gate_share

    def hurdle(self, state: State, yardstick: Yardstick, standard_error: float) -> Hurdle:
        step = self.first_step * (1 + self.growth * state.accepts)
        return Hurdle(share=self.gate_share, fixed=step * max(standard_error, yardstick.smallest_standard_error))

    def proof_test(self, state: State) -> ProofTest:
        alpha = self.alpha * answers_probability(*count_answers(state))
        level = find_level(alpha, failed=state.failed or 0, readings=state.accepts)
        share = self.witness_share()
        return ProofTest(share, level, find_foreseen_level(level, share=share))

    def required_step(self, accepts: int, incumbent_on_gate: Evaluation) -> float:
        """f0·(1 + fA·accepts)·SE."""
        units = incumbent_on_gate.yardstick.units
        return self.first_step * (1 + self.growth * accepts) * standard_error(incumbent_on_gate, units)

    def testimony(self, candidate: Evaluation, on_witness: Evaluation) -> float:
        """The worse of (score on all, score on B improved by c·sd/√n), on the grid."""
        yardstick = candidate.yardstick
        benefit = self.benefit * candidate.spread / math.sqrt(yardstick.units)
        loss = max(candidate.loss, on_witness.loss - benefit)
        return yardstick.grid(self.grid).nearest(yardstick.score(loss))

    def baseline_value(self, baseline: Evaluation) -> float:
        return baseline.yardstick.published_baseline(self.grid)

    def score_format(self, yardstick: Yardstick) -> ScoreFormat:
        return yardstick.grid(self.grid).score_format

    def grid_fraction(self) -> float:
        return self.grid

    def values_per_accept(self, yardstick: Yardstick) -> float:
        """Twice as many as elsewhere: an accept may come with the word "improved" or without it."""
        return 2 * super().values_per_accept(yardstick)


def _check_part(baseline: Evaluation, part: Subset) -> None:
    """Both parts must be able to carry the metric."""
    advice = f"use more items, or another mechanism such as {SpendingLadder.name}"
    if len(part.units) < 2:
        raise LabelsError(
            f"the holdout is too small to be split: one part has {len(part.units)} of {baseline.yardstick.units} "
            f"units; {advice}"
        )
    try:
        baseline.on(part).score  # noqa: B018 (computed to see whether it can be)
    except UndefinedMetricError:
        raise LabelsError(
            f"the metric has no value on one part of the holdout ({len(part.units)} units), such as where a class is "
            f"too rare; {advice}"
        ) from None
