"""The simulator behind `ladderboard plan`: attacks on an organiser's own labels, shuffled, by number of submissions.

Every attack that fits the metric, directly or through an adapter, is run against the mechanism with budgets of 1, 3,
10, … submissions, several times each. Metrics of numbers and scores also face the step-forward attack on permuted
responses (Neto et al. 2016, Text S3). How far the budgets go and how often each is repeated follows from the number of
items and the metric, so a plan is the same on every machine.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks import ATTACKS
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.attacks.freedman import takes_any_number
from ladderboard_lab.metric_adapters import AdaptedAttack, make_adapter
from ladderboard_lab.participant import Array
from ladderboard_lab.planning.step_forward_runs import count_submissions
from ladderboard_lab.planning.submissions import GRID, overfit_by_submissions
from ladderboard_lab.problems.base import Problem
from ladderboard_lab.problems.permuted import permute_labels
from ladderboard_lab.run import run_tasks

BUDGETS = (1, 3, 10, 30, 100, 300, 1000, 3000)
MOST_REPETITIONS = 20
RUN_OVERHEAD = 15
"""Setting up a run and measuring the truth costs as much as so many submissions."""
KNOWN_SHARE = 0.5
"""How many labels an insider holds."""

Attacker = Literal["outsider", "insider", "accounts"]


@dataclass(frozen=True)
class Effort:
    """How much to compute: estimated seconds on one core, and the fewest repetitions of a budget that are worth it."""

    seconds: float
    repetitions: int
    step_forward_share: float = 0.4
    """Of the seconds, for metrics to which that attack applies."""


THOROUGH, QUICK = Effort(seconds=90.0, repetitions=6), Effort(seconds=12.0, repetitions=5)


@dataclass(frozen=True)
class PlanningSimulator:
    """Call it as `ladderboard.plan_submissions(simulate=…)` does.

    ``workers`` processes on this machine, or a Dask ``cluster`` by the address of its scheduler. The same ``seed``
    gives the same curves on all of them.
    """

    effort: Effort = THOROUGH
    workers: int = 1
    cluster: str | None = None
    seed: int = 0

    def __call__(
        self,
        labels: Array,
        metric: "lb.Metric",
        mechanism: "lb.Mechanism",
        *,
        teams: int,
        progress: Callable[[int, int], None] | None,
    ) -> "list[lb.OverfitCurve]":
        if metric.kind.has_texts:
            raise lb.ParameterError(
                f"attacks on {metric.name} cannot be simulated, because its predictions are texts; add --no-attacks, "
                f"or plan for as many classes: --n {len(labels)} --metric accuracy"
            )
        tasks = plan_tasks(np.asarray(labels), metric, mechanism, teams=teams, effort=self.effort)
        found: dict[int, float] = {}
        # A metric of the user's own lives in a file that other processes cannot import.
        workers = self.workers if is_registered(metric) else 1
        running = run_tasks(_run, tasks, seed=self.seed, workers=workers, cluster=self.cluster, quiet=True)
        for index, overfit in running:
            found[index] = overfit
            if progress is not None:
                progress(len(found), len(tasks))
        return _curves(tasks, [found[index] for index in range(len(tasks))])


@dataclass(frozen=True, eq=False)
class PlanningTask:
    """One attack with one budget, once."""

    labels: Array = field(repr=False)
    metric: "lb.Metric"
    mechanism: "lb.Mechanism"
    attacker: Attacker
    attack: Attack
    is_disguised: bool
    submissions: int

    @property
    def curve(self) -> tuple[str, str, str]:
        return self.attacker, self.attack.name, self.attack.setting

    def run(self, seed: np.random.SeedSequence) -> float:
        problem_seed, board_seed, attack_seed = seed.spawn(3)
        share = KNOWN_SHARE if self.attacker == "insider" else 0.0
        problem = permute_labels(np.random.default_rng(problem_seed), self.labels, self.metric, known_share=share)
        attack = AdaptedAttack(self.attack, make_adapter(problem)) if self.is_disguised else self.attack
        seed_of_board = int(board_seed.generate_state(1, np.uint64)[0])
        return board_overfit(
            attack,
            self.mechanism,
            problem,
            submissions=self.submissions,
            seed=seed_of_board,
            rng=_generator(attack_seed),
        )


@dataclass(frozen=True, eq=False)
class StepForwardTask:
    """The step-forward attack on one set of permuted responses, at one point of the paper's grid."""

    responses: Array = field(repr=False)
    metric: str
    mechanism: "lb.Mechanism"
    iterations: int
    features: int
    unit: float

    @property
    def curve(self) -> tuple[str, str, str]:
        return "permuted responses", "step_forward", ""

    @property
    def submissions(self) -> int:
        return count_submissions(iterations=self.iterations, features=self.features)

    def run(self, seed: np.random.SeedSequence) -> float:
        found = overfit_by_submissions(
            self.responses,
            metric=self.metric,
            mechanism=self.mechanism,
            grid=[(self.iterations, self.features)],
            repetitions=1,
            seed=int(seed.generate_state(1, np.uint64)[0]),
        )
        # Where no feature jumped the attacker is left with a constant, of which a correlation has no value: no overfit.
        return -float(np.nan_to_num(found[0].median)) * self.unit


Task = PlanningTask | StepForwardTask


def board_overfit(
    attack: Attack,
    mechanism: "lb.Mechanism",
    problem: Problem,
    *,
    submissions: int,
    seed: int,
    rng: np.random.Generator,
) -> float:
    """True minus shown loss of what the board is about after the attack and its final vector; 0: nothing got in."""
    participant = problem.open_board(mechanism, seed=seed)
    try:
        result = attack.run(participant, budget=max(1, submissions - 1), rng=rng)
        if submissions > 1:
            participant.submit(result)
    except lb.HoldoutSpentError:
        pass  # what was shown last stays
    if participant.best is None or participant.shown is None:
        return 0.0
    return problem.overfit(participant.best, participant.shown)


def plan_tasks(
    labels: Array, metric: "lb.Metric", mechanism: "lb.Mechanism", *, teams: int, effort: Effort
) -> list[Task]:
    """All runs, the long ones first so that no worker is left with one at the end."""
    # A share of hits is one minus the error rate: the same decisions and differences, and the attacks know that one.
    is_share_of_hits = metric.paired_test == "mcnemar" and not metric.lower_is_better
    attacked = lb.METRICS["error_rate"] if is_share_of_hits else metric
    step_forward = _step_forward_tasks(labels, attacked, mechanism, effort)
    seconds = effort.seconds * (1 - effort.step_forward_share if step_forward else 1)
    settings = list(_list_fitting(labels, attacked))
    per_submission = submission_seconds(attacked, len(labels)) * max(1, len(settings))
    budgets = _affordable(BUDGETS, seconds / per_submission, effort.repetitions)
    tasks: list[Task] = [
        PlanningTask(labels, attacked, mechanism, *setting, submissions=budget)
        for setting in settings
        for budget, repetitions in (budgets if setting[0] != "accounts" else _accounts(budgets, teams)).items()
        for _ in range(repetitions)
    ]
    return sorted([*step_forward, *tasks], key=lambda task: -task.submissions)


def submission_seconds(metric: "lb.Metric", n: int) -> float:
    """About what one submission costs, the attack's own work included; measured once, good to a factor of two."""
    if metric.paired_test == "mcnemar":
        return 2e-4 + 1e-8 * n
    return metric.relative_cost * (6e-4 + 4e-7 * n)


def is_registered(metric: "lb.Metric") -> bool:
    """Whether it is one of ours rather than of a user's own file."""
    known = lb.METRICS.get(metric.name)
    # The positive class is in the codes of the labels, which is all that a worker gets.
    return known is not None and type(known) is type(metric) and _list_options(known) == _list_options(metric)


def _list_options(metric: "lb.Metric") -> dict[str, object]:
    return {name: value for name, value in vars(metric).items() if name != "kind"}


def _run(task: Task, seed: np.random.SeedSequence) -> float:
    return task.run(seed)


def _generator(seed: np.random.SeedSequence) -> np.random.Generator:
    return np.random.default_rng(seed)


def _list_fitting(labels: Array, metric: "lb.Metric") -> Iterable[tuple[Attacker, Attack, bool]]:
    """List (attacker, attack, is adapted) of all that yield predictions; insiders with their first setting only."""
    make = partial(permute_labels, labels=labels, metric=metric)
    naked, informed = (make(np.random.default_rng(0), known_share=share) for share in (0.0, KNOWN_SHARE))
    adapted = make_adapter(naked).briefing, make_adapter(informed).briefing
    for attack in (setting for made in ATTACKS.values() for setting in made.settings()):
        if attack.yields not in ("predictions", "labels"):
            continue
        who: Attacker = "accounts" if attack.has_many_accounts else "outsider"
        if attack.misfit(naked.briefing) is None:
            yield who, attack, False
        elif attack.misfit(adapted[0]) is None:
            yield who, attack, True
        elif _is_first_of_one_account(attack) and attack.misfit(adapted[1]) is None:
            yield "insider", attack, True


def _is_first_of_one_account(attack: Attack) -> bool:
    return attack == type(attack).settings()[0] and not attack.has_many_accounts


def _affordable(counts: Sequence[int], submissions: float, fewest: int) -> dict[int, int]:
    """Count → repetitions, up to the largest count that can be afforded ``fewest`` times; small ones more often.

    >>> _affordable((1, 10, 100, 1000), 2000, 5)
    {1: 20, 10: 20, 100: 9}
    """
    costs = np.array(counts) + RUN_OVERHEAD
    points = max(2, int(np.sum(fewest * np.cumsum(costs) <= submissions)))
    kept = costs[:points]
    # As many as leave each count with an error that goes with the fourth root of its cost.
    repetitions = np.clip(submissions / np.sqrt(kept).sum() / np.sqrt(kept), fewest, MOST_REPETITIONS)
    return dict(zip(counts[:points], repetitions.astype(int).tolist(), strict=True))


def _accounts(budgets: dict[int, int], teams: int) -> dict[int, int]:
    """One submission from each account: as many accounts as there are teams, at most."""
    if teams < 2:
        return {}
    fewer = {budget: repetitions for budget, repetitions in budgets.items() if 1 < budget < teams}
    return {**fewer, teams: min(budgets.values())}


def _step_forward_tasks(
    labels: Array, metric: "lb.Metric", mechanism: "lb.Mechanism", effort: Effort
) -> list[StepForwardTask]:
    takes_regressions = takes_any_number(metric) or metric.kind.takes == "scores"
    if metric.kind.has_columns or not takes_regressions or not is_registered(metric):
        return []
    responses = metric.kind.read_labels(labels).values.astype(float)
    unit = float(np.std(responses)) ** metric.degree
    # A submission costs a regression of all its items as well.
    each = submission_seconds(metric, len(labels)) + 3e-7 * len(labels)
    affordable = effort.step_forward_share * effort.seconds / each
    counts = [count_submissions(iterations=i, features=p) for i, p in GRID]
    repetitions = _affordable(counts, affordable, effort.repetitions)
    return [
        StepForwardTask(responses, metric.name, mechanism, iterations, features, unit)
        for (iterations, features), count in zip(GRID, counts, strict=True)
        for _ in range(repetitions.get(count, 0))
    ]


def _curves(tasks: Sequence[Task], overfits: Sequence[float]) -> "list[lb.OverfitCurve]":
    by_curve: dict[tuple[str, str, str], dict[int, list[float]]] = {}
    for task, overfit in zip(tasks, overfits, strict=True):
        by_curve.setdefault(task.curve, {}).setdefault(task.submissions, []).append(overfit)
    return [_curve(*names, runs=dict(sorted(runs.items()))) for names, runs in by_curve.items()]


def _curve(attacker: str, attack: str, setting: str, *, runs: dict[int, list[float]]) -> "lb.OverfitCurve":
    is_median = attacker == "permuted responses"
    centre = np.median if is_median else np.mean
    margins = [0.0 if is_median else 2 * float(np.std(run, ddof=1)) / len(run) ** 0.5 for run in runs.values()]
    return lb.OverfitCurve(
        attacker=attacker,  # type: ignore[arg-type]  # from the tasks, which have these names
        attack=attack,
        setting=setting,
        submissions=tuple(runs),
        overfits=tuple(float(centre(run)) for run in runs.values()),
        margins=tuple(margins),
        repetitions=tuple(len(run) for run in runs.values()),
    )
