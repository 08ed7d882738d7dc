"""Every mechanism with its defaults, and variants; streams of submissions for every kind of metric."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import Release
from ladderboard.mechanisms import MECHANISMS
from ladderboard.mechanisms.base import Mechanism, clip_to_bounds
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric
from ladderboard.metrics.column_inputs import LabelDecisions, LabelScores
from ladderboard.metrics.inputs import Classes, InputKind, Numbers, Probabilities, Scores, Survival
from ladderboard.metrics.text_inputs import Masks, RankedLists, TextCells
from tests.mechanisms.play import Play

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "disclosure of thousandths": ("full_disclosure", {"precision": 0.001}),
    "ladder of a given step": ("ladder", {"step_size": 0.02}),
    "strict significance ladder": ("significance_ladder", {"alpha": 0.01}),
    "ladder boot, redrawn": ("ladder_boot", {"redraw": True}),
    "ladder boot, adaptive": ("ladder_boot", {"gamma": 0.5, "least_replicates": 5, "replicates": 50}),
    "bayes boot ladder at even odds": ("bayes_boot_ladder", {"odds": 1.0, "replicates": 200}),
    "bayes boot ladder boot, redrawn": ("bayes_boot_ladder_boot", {"redraw": True, "gamma": 0.5}),
    "shaky ladder, redrawn": ("shaky_ladder", {"redraw": True, "noise": 0.02}),
    "thresholdout, redrawn": ("thresholdout", {"redraw": True, "budget": 1000}),
}
EVERY_MECHANISM: dict[str, Mechanism] = {name: made() for name, made in MECHANISMS.items()} | {
    title: MECHANISMS[name](**parameters) for title, (name, parameters) in VARIANTS.items()
}


class Stream(NamedTuple):
    """A holdout and submissions to it, each better than most before it, with repetitions and failures between."""

    key: AnswerKey
    submissions: list[npt.NDArray[Any]]


def stream(metric: str | Metric, *, n: int = 240, seed: int = 0, length: int = 12) -> Stream:
    """Labels that suit the metric; predictions of falling noise, every fourth one hopeless."""
    found = METRICS[metric] if isinstance(metric, str) else metric
    rng = np.random.default_rng([seed, n])
    labels, predict = problem_of(found, n, rng)
    noise = np.linspace(0.9, 0.05, length)
    noise[3::4] = 0.95
    return Stream(AnswerKey(labels, found), [predict(level) for level in noise])


def run_through(mechanism: Mechanism, given: Stream, *, seed: int = 0, stop: int | None = None) -> Play:
    """Submit the stream, or its first ``stop`` submissions, until the holdout is spent."""
    run = Play(mechanism, given.key, seed)
    for predictions in given.submissions[:stop]:
        if mechanism.is_spent(run.state):
            break
        submit(run, predictions)
    return run


def submit(run: Play, predictions: npt.NDArray[Any]) -> Release:
    """One submission, with a training score a little better than the holdout's."""
    evaluation = run.key.evaluate(run.key.read(predictions))
    claim = run.key.yardstick.score(evaluation.loss - 0.01)
    return run.submit(predictions, training_score=clip_to_bounds(claim, run.key.yardstick))


def fitted(mechanism: Mechanism, metric: Metric) -> Mechanism:
    """The mechanism with the one parameter that an unbounded metric needs."""
    if math.isfinite(metric.bounds[1] - metric.bounds[0]):
        return mechanism
    if hasattr(mechanism, "loss_width"):
        return replace(mechanism, loss_width=10.0)  # type: ignore[call-arg]
    if mechanism.name == "ladder":
        return replace(mechanism, step_size=0.02)  # type: ignore[call-arg]
    return mechanism


def with_few_replicates(mechanism: Mechanism) -> Mechanism:
    """The same with 100 replicates, where a thousand would only take longer."""
    return replace(mechanism, replicates=100) if hasattr(mechanism, "replicates") else mechanism  # type: ignore[call-arg]


def _problem_of_columns(
    kind: InputKind, codes: npt.NDArray[Any], rng: np.random.Generator
) -> tuple[npt.NDArray[Any], Callable[[float], npt.NDArray[Any]]]:
    """Three columns of labels or targets."""
    if isinstance(kind, LabelScores):
        labels = np.stack([codes, 1 - codes, np.roll(codes, 1)], axis=1)
        if isinstance(kind, LabelDecisions):
            return labels, lambda noise: np.where(rng.random(labels.shape) < noise / 2, 1 - labels, labels)
        return labels, lambda noise: labels + rng.normal(0, 3 * noise, labels.shape)
    targets = rng.uniform(1, 5, (len(codes), 3))
    return targets, lambda noise: targets + rng.normal(0, 2 * noise, targets.shape)


def _problem_of_texts(
    kind: TextCells, n: int, rng: np.random.Generator
) -> tuple[npt.NDArray[Any], Callable[[float], npt.NDArray[Any]]]:
    """Lists, masks or sentences, of which more is wrong with more noise."""
    if isinstance(kind, RankedLists):
        labels = np.array([[f"d{at} e{at}"] for at in range(n)])
        return labels[:, 0], lambda noise: np.array(
            [" ".join(f"{one}{rng.random() < noise or at}" for one in "de") for at in range(n)], dtype=object
        )
    if isinstance(kind, Masks):
        labels = np.array([[f"{1 + at % 30} 50", "10", "10"] for at in range(n)])
        return labels, lambda noise: np.array([f"{1 + at % 30 + int(20 * rng.random() * noise)} 50" for at in range(n)])
    words = [[f"w{(at * place) % 17}" for place in range(1, 9)] for at in range(n)]

    def answer(noise: float) -> npt.NDArray[Any]:
        return np.array([" ".join("x" if rng.random() < noise / 2 else one for one in each) for each in words])

    return np.array([" ".join(each) for each in words]), answer


def problem_of(
    metric: Metric, n: int, rng: np.random.Generator
) -> tuple[npt.NDArray[Any], Callable[[float], npt.NDArray[Any]]]:
    """Labels, and predictions for a level of noise between 0 and 1."""
    kind = metric.kind
    codes = (np.arange(n) % 5 < 2).astype(np.intp)
    if kind.has_columns:
        return _problem_of_columns(kind, codes, rng)
    if isinstance(kind, TextCells):
        return _problem_of_texts(kind, n, rng)
    if isinstance(kind, Classes):
        return codes, lambda noise: np.where(rng.random(n) < noise / 2, 1 - codes, codes)
    if isinstance(kind, Scores):
        return codes, lambda noise: codes + rng.normal(0, 3 * noise, n)
    if isinstance(kind, Probabilities):
        return codes, lambda noise: np.clip(codes * (1 - noise) + noise * rng.random(n), 0.01, 0.99)
    if isinstance(kind, Survival):
        risk = rng.normal(0, 1, n)
        times = rng.exponential(np.exp(-risk))
        labels = np.stack([times, rng.random(n) < 0.7], axis=1)
        return labels, lambda noise: risk + rng.normal(0, 3 * noise, n)
    assert isinstance(kind, Numbers), f"no problem is known for {type(kind).__name__}: add one here"
    values = rng.uniform(1, 5, n)
    return values, lambda noise: np.maximum(values + rng.normal(0, 2 * noise, n), 0.01)
