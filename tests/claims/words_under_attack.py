"""How often an attacker hears a false "improved", from one account and from several that share what they learn.

A word is false where the true loss of the entry is not below that of the last proven one. Labels known from outside
count at their actual loss, unknown coin flips at one half.

python -m tests.claims.words_under_attack                                # n = 4,000, 200 streams each
python -m tests.claims.words_under_attack reader look --streams 1000
python -m tests.claims.words_under_attack cashing_reader --former        # by the rule before
python -m tests.claims.words_under_attack --mechanism certifier
"""

import argparse
import math
from dataclasses import dataclass, field

import numpy as np
from joblib import Parallel, delayed

import ladderboard as lb
from ladderboard.core.records import State
from ladderboard_lab.attacks import ATTACKS
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.participant import Array, Briefing, Participant
from ladderboard_lab.problems.base import Problem
from ladderboard_lab.problems.coin_flips import coin_flips

FROM_ONE_ACCOUNT = ("best_of_n", "boosting", "hill_climb", "padding", "look", "combo", "reader", "cashing_reader")
FROM_SEVERAL = ("sybil", "reader_ring")


class FormerWord(lb.WitnessLadder):
    """The Witness Ladder with the word's rule of old ledgers, whose level begins anew with every proof."""

    def start(self, baseline: lb.Evaluation, setup_rng: np.random.Generator) -> State:
        return super().start(baseline, setup_rng).under(1)


class UnchargedCertifier(lb.Certifier):
    """The Certifier whose level does not pay for the numbers of earlier certificates."""

    def find_level(self, state: State) -> float:
        return super().find_level(state) * 2.0**state.accepts


FORMER: dict[str, type[lb.Mechanism]] = {"witness_ladder": FormerWord, "certifier": UnchargedCertifier}
"""The rule before, for the option of that name."""


@dataclass
class Listener:
    """An account that passes submissions on and judges each word it hears."""

    inner: Participant
    problem: Problem
    briefing: Briefing
    proven_loss: float
    """At first the public baseline's, by the same count: it errs on known labels as it does, and on others by half."""
    heard: int = 0
    """The last attempt with such a word: its predictions may be sent again."""
    first_is_reference: bool = False
    """Whether the first submission takes the baseline's place, as with a mechanism that certifies."""
    words: list[bool] = field(default_factory=list)
    """For each "improved" whether it was true; shared by all accounts of a person."""

    def submit(self, predictions: Array, *, training_score: float | None = None) -> lb.Release:
        release = self.inner.submit(predictions, training_score=training_score)
        if self.first_is_reference and release.attempt == 1:
            self.proven_loss = self.problem.true_score(predictions)
        if release.improved and release.attempt != self.heard:
            self.heard = release.attempt
            loss = self.problem.true_score(predictions)
            self.words.append(loss < self.proven_loss)
            self.proven_loss = loss
        return release

    def account(self, name: str) -> Participant:
        baseline = self.problem.true_baseline_score()
        inner = self.inner.account(name)
        return Listener(
            inner, self.problem, self.briefing, baseline, first_is_reference=self.first_is_reference, words=self.words
        )


def hears_a_false_word(
    attack: Attack, mechanism: lb.Mechanism, *, n: int, budget: int, known: float, seed: int
) -> bool:
    """Run one attack on a fresh board of coin flips."""
    rng = np.random.default_rng([seed, n])
    problem = coin_flips(rng, n=n, known_share=known)
    board = problem.open_board(mechanism, seed=seed)
    baseline = problem.true_baseline_score()
    listener = Listener(board, problem, problem.briefing, baseline, first_is_reference=mechanism.certifies)
    final = attack.run(listener, budget=budget - 1, rng=rng)
    if len(final):
        listener.submit(final)
    return not all(listener.words)


def measure_false_words(
    attack: Attack,
    *,
    n: int,
    budget: int,
    known: float,
    streams: int,
    mechanism: lb.Mechanism | None = None,
    workers: int = 1,
) -> float:
    """The share of streams that hear at least one false word; the default mechanism unless told otherwise."""
    rule = mechanism or lb.WitnessLadder()
    run = delayed(hears_a_false_word)
    heard = Parallel(n_jobs=workers)(
        run(attack, rule, n=n, budget=budget, known=known, seed=seed) for seed in range(streams)
    )
    return float(np.mean(heard))


def known_share(name: str) -> float:
    known = {"padding": 0.4, "look": 0.4, "combo": 0.4, "reader": 0.4, "reader_ring": 0.4, "cashing_reader": 0.7}
    return known.get(name, 0.0)


def main() -> None:
    """Print the share of streams with a false word for each attack, with its standard error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attacks", nargs="*", default=[*FROM_ONE_ACCOUNT, *FROM_SEVERAL], metavar="ATTACK")
    parser.add_argument("--n", type=int, default=4000)
    parser.add_argument("--budget", type=int, default=2000)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--former", action="store_true")
    parser.add_argument("--mechanism", default=lb.WitnessLadder.name, choices=lb.MECHANISMS)
    given = parser.parse_args()
    print(f"{'attack':14}{'known':>7}{'streams with a false word':>28}")  # noqa: T201 (its table)
    for name in given.attacks:
        share = known_share(name)
        found = measure_false_words(
            ATTACKS[name](),
            n=given.n,
            budget=given.budget,
            known=share,
            streams=given.streams,
            mechanism=(FORMER if given.former else lb.MECHANISMS)[given.mechanism](),
            workers=given.workers,
        )
        error = math.sqrt(found * (1 - found) / given.streams)
        print(f"{name:14}{share:7.1f}{found:20.3f} ± {error:.3f}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
