"""Runs of one attack against one mechanism, measured against the truth."""

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

import ladderboard as lb
from ladderboard_lab.attack_trace import AttackTrace
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.participant import Array, LocalParticipant
from ladderboard_lab.problems.base import Problem
from ladderboard_lab.problems.coin_flips import coin_flips, coin_flips_auc, coin_flips_log_loss, coin_flips_squared
from ladderboard_lab.problems.regression import noise_numbers, simulate_regression, split_regression

Status = Literal["ok", "refused", "spent"]

FEATURES = 100
SMALLEST_N = 30
"""With fewer items half a holdout can hardly be compared with anything."""
ENOUGH_TO_SEE = 200
"""Items of a problem that shows whether an attack fits: a tenth of them are labels enough for an insider."""

ProblemMaker = Callable[[np.random.Generator, int], Problem]
"""A problem of so many public items, drawn by the generator."""

PROBLEMS: dict[str, ProblemMaker] = {
    "coin_flips": lambda rng, n: coin_flips(rng, n=n),
    "tenth_known": lambda rng, n: coin_flips(rng, n=n, known_share=0.1),
    "third_known": lambda rng, n: coin_flips(rng, n=n, known_share=0.3),
    "two_fifths_known": lambda rng, n: coin_flips(rng, n=n, known_share=0.4),
    "half_known": lambda rng, n: coin_flips(rng, n=n, known_share=0.5),
    "most_known": lambda rng, n: coin_flips(rng, n=n, known_share=0.7),
    "ten_classes": lambda rng, n: coin_flips(rng, n=n, classes=10),
    "coin_flips_auc": lambda rng, n: coin_flips_auc(rng, n=n),
    "coin_flips_log_loss": lambda rng, n: coin_flips_log_loss(rng, n=n),
    "coin_flips_squared": lambda rng, n: coin_flips_squared(rng, n=n, known_share=0.4),
    "noise_numbers": lambda rng, n: noise_numbers(rng, n=n, private=n),
    "noise_regression": lambda rng, n: split_regression(
        simulate_regression(rng, n=3 * n, features=min(FEATURES, n // 2)), rng, public=n, private=n
    ),
}
"""Problems without anything to learn, in the order in which an attack looks for one that it fits."""


@dataclass(frozen=True)
class AttackRun:
    """The result of one attack on one board. Losses are lower-is-better; ``None``: does not apply.

    ``overfit`` is the true loss minus the board's after the attack and its final vector, ``overfit_before_final``
    without the latter; ``final_overfit`` the true minus the raw public loss of the final vector. ``revealed`` is the
    share of labels or of the split that an attack for them found (0: guessing), ``estimate_error`` the distance
    between an estimated and the raw score. ``status`` "refused": the mechanism cannot serve this metric; "spent": its
    budget was used up on the way, and what it showed last counts.
    """

    status: Status
    reason: str = ""
    overfit: float | None = None
    overfit_before_final: float | None = None
    final_overfit: float | None = None
    revealed: float | None = None
    estimate_error: float | None = None
    submissions: int = 0
    accepts: int = 0
    bits: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def choose_problem(attack: Attack, rng: np.random.Generator, *, n: int) -> tuple[str, Problem]:
    """Choose the first of `PROBLEMS` that the attack fits and that tells it as many labels as it asks for."""
    # A small one shows whether it fits; the generator is left alone until then.
    size = min(max(n, SMALLEST_N), ENOUGH_TO_SEE)
    briefings = {name: make(np.random.default_rng(0), size).briefing for name, make in PROBLEMS.items()}
    fitting = [name for name, briefing in briefings.items() if not attack.misfit(briefing)]
    fitting.sort(key=lambda name: abs(len(briefings[name].known_items) / briefings[name].items - attack.known_share))
    if not fitting:
        raise lb.ParameterError(f"{attack.name} fits none of the problems {', '.join(PROBLEMS)}")
    return fitting[0], make_problem(fitting[0], attack, rng, n=n)


def name_problem(problem: str | ProblemMaker) -> str:
    """The name of a problem: its own, or that of the function that makes it."""
    return problem if isinstance(problem, str) else getattr(problem, "__name__", type(problem).__name__)


def make_problem(chosen: str | ProblemMaker, attack: Attack, rng: np.random.Generator, *, n: int) -> Problem:
    """Make the named problem, or one of your own; refuse one that the attack does not fit."""
    if n < SMALLEST_N:
        raise lb.ParameterError(f"n is {n}; the laboratory needs at least {SMALLEST_N} items")
    name = name_problem(chosen)
    problem = (PROBLEMS[chosen] if isinstance(chosen, str) else chosen)(rng, n)
    if not isinstance(problem, Problem):
        raise lb.ParameterError(f"{name} returned {type(problem).__name__}; it must return a Problem")
    reason = attack.misfit(problem.briefing)
    if reason is not None:
        raise lb.ParameterError(f"{attack.name} does not fit {name} with n = {n}: it {reason}")
    return problem


def attack_board(
    attack: Attack,
    mechanism: "lb.Mechanism",
    problem: Problem,
    *,
    budget: int,
    seed: np.random.SeedSequence,
    watch: AttackTrace | None = None,
    board: Literal["team", "rank"] = "team",
) -> AttackRun:
    """Run the attack with budget − 1 submissions, submit its final vector as the last one, and measure.

    ``board``: whether the mechanism has an instance for each account of the attacker, or for each rank of the board.
    """
    watch = AttackTrace() if watch is None else watch
    board_seed, attack_seed = seed.spawn(2)
    try:
        participant = problem.open_board(
            mechanism, seed=int(board_seed.generate_state(1, np.uint64)[0]), instances=board
        )
        watch.follow(participant, problem)
        participant.claim = claim_training_score(mechanism, problem)
        return _run_attack(
            attack, participant, problem, budget=budget, rng=np.random.default_rng(attack_seed), watch=watch
        )
    except lb.InputError as refusal:
        return AttackRun("refused", str(refusal))


def claim_training_score(mechanism: "lb.Mechanism", problem: Problem) -> float | None:
    """Choose the training score an attacker claims: the worst one, since a claim far off gets a number."""
    if not mechanism.needs_training_score:
        return None
    low, high = lb.METRICS[problem.briefing.metric].bounds
    worst = high if problem.briefing.lower_is_better else low
    return worst if math.isfinite(worst) else None


def _run_attack(
    attack: Attack,
    participant: LocalParticipant,
    problem: Problem,
    *,
    budget: int,
    rng: np.random.Generator,
    watch: AttackTrace,
) -> AttackRun:
    status: Status = "ok"
    result: Array | None = None
    before: float | None = None
    try:
        has_final = attack.yields in ("predictions", "labels") and budget > 1
        result = _read_result(attack, attack.run(participant, budget=budget - has_final, rng=rng), problem)
        before = _board_overfit(participant, problem)
        if has_final:
            participant.submit(result)
    except lb.HoldoutSpentError:
        status = "spent"
    told = participant.board.leakage.values()
    run = AttackRun(
        status,
        overfit=_board_overfit(participant, problem),
        overfit_before_final=_board_overfit(participant, problem) if result is None else before,
        submissions=len(watch.shown),
        accepts=sum(one.accepts for one in told),
        bits=_total(one.bits for one in told),
    )
    return run if result is None else _measure_result(run, attack, participant, problem, result)


def _read_result(attack: Attack, result: object, problem: Problem) -> Array:
    """What an attack returned as an array; refuse what has not one value for each item (for a score: one in all)."""
    found, items = np.asarray(result), 1 if attack.yields == "score" else problem.briefing.items
    if result is None or len(found.reshape(-1) if found.ndim == 0 else found) != items:
        given = type(result).__name__ if found.ndim == 0 else f"{len(found)} values"
        wanted = {"predictions": "its final predictions", "labels": "the labels it found", "score": "its estimate"}
        raise lb.LadderboardError(
            f"{attack.name}: run returned {given}; it must return {wanted.get(attack.yields, 'what it found')}, an "
            f"array of {items:,}"
        )
    return found


def _board_overfit(participant: LocalParticipant, problem: Problem) -> float | None:
    """True minus shown loss of what the board is about: the last accepted submission, or else the baseline."""
    if participant.shown is None:
        return None
    if participant.best is not None:
        return problem.overfit(participant.best, participant.shown)
    loss = problem.briefing.loss
    return loss(problem.true_baseline_score()) - loss(participant.shown)


def _measure_result(
    run: AttackRun, attack: Attack, participant: LocalParticipant, problem: Problem, result: Array
) -> AttackRun:
    """Measure the attack's result by what the attack was after."""
    if attack.yields == "score":
        asked = participant.best
        raw = None if asked is None else problem.public_score(asked)
        return replace(run, estimate_error=None if raw is None else abs(float(result[0]) - raw))
    if attack.yields == "membership":
        is_public = np.isin(np.arange(len(result)), problem.public)
        return replace(run, revealed=_share_found(result, is_public))
    run = replace(run, final_overfit=problem.overfit(result, problem.public_score(result)))
    if attack.yields == "labels":
        run = replace(run, revealed=_share_found(result[problem.public], problem.labels[problem.public]))
    return run


def _share_found(claimed: Array, truth: Array) -> float:
    """1 where all are right, 0 for guesses and for undecided ones (½), −1 where all are wrong.

    >>> _share_found(np.array([1.0, 0.0, 0.5, 0.5]), np.array([1, 0, 1, 0]))
    0.5
    """
    return float(np.mean(np.sign(2.0 * claimed - 1) * (2.0 * truth - 1)))


def _total(bits: Iterable[float | None]) -> float | None:
    told = list(bits)
    counted = [one for one in told if one is not None]
    return float(sum(counted)) if len(counted) == len(told) else None
