"""How often "not worse" is said wrongly: to honest people, to one who asks to learn, and to one who reads scores.

An answer is wrong where the true loss is above the reference's by the margin or more. Labels known from outside count
at their actual loss, unknown coin flips at one half.

python -m tests.claims.not_worse        # some minutes
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np

import ladderboard as lb
from ladderboard.mechanisms import witness_ladder
from ladderboard_lab.attacks import ATTACKS
from ladderboard_lab.participant import Array, Briefing, Participant
from ladderboard_lab.problems.coin_flips import coin_flips

KNOWN = 0.4
"""The share of the labels that an attacker knows."""
STAIR = 0.02
"""How much better a question is than the last one after a no, and how much worse after a yes."""


def hears_a_wrong_answer(*, n: int, questions: int, margin: float, seed: int) -> bool:
    """Ask about fresh models that are each worse by just the margin: error rates of 1/5 and 1/5 + margin."""
    rng = np.random.default_rng([seed, n])
    labels = rng.integers(0, 2, n)
    guard = lb.Holdout(labels, path=":memory:", seed=seed)
    wrong = rng.random(n) < 0.2
    guard.pin(np.where(wrong, 1 - labels, labels))
    for _ in range(questions):
        # Most errors are shared, as those of successive versions of one model are.
        broken = np.where(wrong, rng.random(n) < 0.9, rng.random(n) < (0.02 + margin) / 0.8)
        if ask(guard, np.where(broken, 1 - labels, labels), margin):
            return True
    return False


def answers_an_equal(*, n: int, margin: float, seed: int) -> bool:
    """Ask once about an equally good model with 4 % of its predictions changed."""
    rng = np.random.default_rng([seed, n])
    labels = rng.integers(0, 2, n)
    guard = lb.Holdout(labels, path=":memory:", seed=seed)
    wrong = rng.random(n) < 0.2
    guard.pin(np.where(wrong, 1 - labels, labels))
    broken = np.where(wrong, rng.random(n) < 0.9, rng.random(n) < 0.025)
    return ask(guard, np.where(broken, 1 - labels, labels), margin)


def ask(guard: lb.Holdout, predictions: Array, margin: float) -> bool:
    """Ask; a guard that can show the margin for nobody any more refuses, which tells nothing and fools nobody."""
    try:
        return guard.check_not_worse(predictions, margin=margin).not_worse
    except lb.ParameterError:
        return False


def is_fooled_by_questions(*, n: int, questions: int, margin: float, seed: int) -> bool:
    """Take each answer for the sign of a random vector on unknown labels; then ask about what was learnt.

    Known labels lead every question up or down a stair to where yes and no are equally likely and an answer tells
    most.
    """
    rng = np.random.default_rng([seed, n, questions])
    labels, reference = rng.integers(0, 2, (2, n))
    guard = lb.Holdout(labels, path=":memory:", seed=seed)
    guard.pin(reference)
    known = rng.random(n) < KNOWN
    votes, gain = np.zeros(n), 0.0
    for _ in range(questions):
        turned = ~known & (rng.random(n) < 0.5)
        candidate = np.where(turned, 1 - reference, reference)
        _repair(candidate, labels, known, reference, gain)
        answer = ask(guard, candidate, margin)
        gain += -STAIR if answer else STAIR
        votes += np.where(turned, 1, -1) * (1 if answer else -1)
    learnt = np.where(votes > 0, 1 - reference, reference)
    return cash_in(guard, learnt, labels, known, margin)


def cash_in(guard: lb.Holdout, learnt: Array, labels: Array, known: Array, margin: float) -> bool:
    """Pin the opposite of what was learnt on unknown labels; ask about it, with known labels worse by the margin."""
    reference = np.where(known, labels, 1 - learnt)
    guard.pin(reference)
    final = np.where(known, labels, learnt)
    _repair(final, labels, known, reference, -margin - 1 / len(labels))
    return ask(guard, final, margin)


def _repair(predictions: Array, labels: Array, known: Array, reference: Array, gain: float) -> None:
    """Set known items so that their error rate is the reference's on them, less ``gain`` over all items."""
    items = np.flatnonzero(known)
    errors = int((reference[items] != labels[items]).sum() - math.floor(gain * len(labels)))
    wrong = items[: max(0, min(errors, len(items)))]
    predictions[items] = labels[items]
    predictions[wrong] = 1 - labels[wrong]


@dataclass
class ScoreReader:
    """An account of an attack whose submissions go to a guard."""

    guard: lb.Holdout
    briefing: Briefing

    def submit(self, predictions: Array, *, training_score: float | None = None) -> lb.Release:
        return self.guard.score(predictions, training_score=training_score)

    def account(self, name: str) -> Participant:
        raise NotImplementedError


def is_fooled_by_scores(*, n: int, budget: int, margin: float, seed: int) -> bool:
    """Read the witnesses by the scores of accepted entries, then ask about what was learnt."""
    rng = np.random.default_rng([seed, n, budget])
    problem = coin_flips(rng, n=n, known_share=KNOWN)
    labels = problem.labels
    guard = lb.Holdout(labels, path=":memory:", seed=seed)
    final = ATTACKS["reader"]().run(ScoreReader(guard, problem.briefing), budget=budget, rng=rng)
    known = np.zeros(n, dtype=bool)
    known[problem.briefing.known_items] = True
    return cash_in(guard, np.asarray(final), labels, known, margin)


if __name__ == "__main__":
    print(f"{'100 series of':56}{'wrong':>8}")  # noqa: T201 (its table)

    def show(name: str, run: Callable[[int], bool]) -> None:
        print(f"{name:56}{np.mean([run(seed) for seed in range(100)]):8.2f}", flush=True)  # noqa: T201

    def learn(seed: int) -> bool:
        return is_fooled_by_questions(n=400, questions=60, margin=0.1, seed=seed)

    def read(seed: int) -> bool:
        return is_fooled_by_scores(n=1000, budget=150, margin=0.05, seed=seed)

    show(
        "200 models worse by the margin",
        lambda seed: hears_a_wrong_answer(n=4000, questions=200, margin=0.02, seed=seed),
    )
    show("60 questions to learn from", learn)
    show("150 scores to read from", read)
    with patch.object(witness_ladder, "answers_probability", lambda *_: 1.0):
        show("60 questions to learn from, transcripts not counted", learn)
    with patch.object(witness_ladder, "BITS_PER_ACCEPT", 0):
        show("150 scores to read from, accepts not counted", read)
