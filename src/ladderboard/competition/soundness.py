"""Whether a competition can be scored: both parts have a value, the mechanism takes them, and the board can see."""

import math
from typing import Any

import numpy as np

from ladderboard.cautions import power_of_entry
from ladderboard.competition.findings import Findings
from ladderboard.competition.model import Competition, Usage
from ladderboard.competition.table_reader import FILE
from ladderboard.competition.toml_text import TomlText
from ladderboard.errors import InputError, LabelsError, ParameterError, UndefinedMetricError
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.custom import FunctionMetric
from ladderboard.metrics.inputs import Survival
from ladderboard.power import ENOUGH_POWER, SENSIBLE_IMPROVEMENT
from ladderboard.records import IntArray

FEWEST_UNITS = 4
"""Two halves of two: less cannot be split and compared."""


FEWEST_PAIRS = 30


def check_soundness(competition: Competition, toml: TomlText, file: str, findings: Findings) -> None:
    """Findings for all that keeps the two parts from being scored; ``file`` is the solution's."""
    before = len(findings.errors)
    _rehearse(competition, toml, findings)
    public = _part(competition, "Public", file, findings)
    _part(competition, "Private", file, findings)
    if len(findings.errors) > before or public is None:
        return
    _check_mechanism(competition, public, toml, findings)
    if len(findings.errors) == before:
        _warn_of_low_power(competition, public, file, findings)
        _warn_of_telling_ids(competition, file, findings)


def _rehearse(competition: Competition, toml: TomlText, findings: Findings) -> None:
    """Call a metric of one's own once, with the function's own error where it fails."""
    metric, labels = competition.metric, competition.solution.labels
    if not isinstance(metric, FunctionMetric):
        return
    are_classes = metric.takes in ("classes", "two_classes")
    try:
        target = metric.kind.read_labels(labels)
        metric.rehearse(labels, labels if are_classes else metric.labels_as_predictions(target.values))
    except ParameterError as problem:
        findings.error(FILE, toml.line("metric"), f"the metric was tried with the labels as predictions: {problem}")
    except (LabelsError, UndefinedMetricError):
        return  # said of the parts


def _part(competition: Competition, usage: Usage, file: str, findings: Findings) -> AnswerKey | None:
    """The key of a part, once it is known to have a yardstick."""
    rows, word = competition.solution.rows(usage), usage.lower()
    if not len(rows) and usage == "Private":
        findings.warn(file, None, "there is no private row: the public board is all there will be, and it decides")
        return None
    if not len(rows):
        findings.error(file, None, "there is no public row: nothing could be scored; mark some as Public")
        return None
    try:
        key = competition.public if usage == "Public" else competition.private
        assert key is not None
        _refuse_poor(key, competition, rows)
        _ = key.yardstick
        return key
    except (InputError, UndefinedMetricError) as problem:
        findings.error(file, None, f"the {word} part ({len(rows):,} rows) cannot be scored: {problem}")
        return None


def _refuse_poor(key: AnswerKey, competition: Competition, rows: IntArray) -> None:
    if key.units < FEWEST_UNITS:
        noun = "rows" if competition.solution.group is None else "groups"
        raise LabelsError(f"it has {key.units} {noun}; at least {FEWEST_UNITS} are needed")
    labels = competition.solution.labels[rows]
    if key.classes and len(np.unique(labels)) < 2:
        raise LabelsError(f"all of its labels are {labels[0].item()!r}; both parts need at least two classes")


def _check_mechanism(competition: Competition, public: AnswerKey, toml: TomlText, findings: Findings) -> None:
    mechanism = competition.mechanism
    try:
        mechanism.check(public.baseline)
        # A split drawn for the occasion: the real one comes from the server's secret.
        state = mechanism.start(public.baseline, np.random.default_rng(0))
        if isinstance(mechanism, WitnessLadder):
            _refuse_poor_halves(competition, int(state.memory["split_seed"]), mechanism.gate_share)
    except (InputError, UndefinedMetricError) as problem:
        findings.error(FILE, toml.line("mechanism"), f"{mechanism.name} cannot serve this public part: {problem}")


def _refuse_poor_halves(competition: Competition, seed: int, share: float) -> None:
    """Perfect predictions must have a value on both halves: a constant baseline may be worth something on any."""
    target = competition.metric.kind.read_labels(competition.solution.labels)
    is_survival = isinstance(competition.metric.kind, Survival)
    perfect = -target.values[:, 0] if is_survival else competition.whole.metric.labels_as_predictions(target.values)
    evaluation = competition.public.evaluate(perfect[competition.solution.rows("Public")])
    for half in evaluation.split(seed, share):
        try:
            evaluation.on(half).score  # noqa: B018 (computed to see whether it can be)
        except UndefinedMetricError:
            raise LabelsError(
                f"the metric has no value on one of its halves ({len(half.units)} units), such as where a class is too "
                "rare; make more rows public, or take another mechanism such as spending_ladder"
            ) from None


def _warn_of_low_power(competition: Competition, public: AnswerKey, file: str, findings: Findings) -> None:
    power = power_of_entry(competition.mechanism, public.baseline)
    if power is None or power >= ENOUGH_POWER:
        return
    noun = "rows" if competition.solution.group is None else "groups"
    findings.warn(
        file,
        None,
        f"the public part is small ({public.units:,} {noun}): a first submission that takes "
        f"{SENSIBLE_IMPROVEMENT:.0%} off the baseline's loss is seen with probability {power:.0%}; "
        "make more rows public, or expect that real improvements are missed (`ladderboard plan` tells how many)",
    )


def _warn_of_telling_ids(competition: Competition, file: str, findings: Findings) -> None:
    """Everybody sees the ids: where Usage or the class goes with their order, everybody sees that too."""
    solution = competition.solution
    _, first = np.unique(np.arange(len(solution.ids)) if solution.group is None else solution.group, return_index=True)
    rows = np.sort(first)  # one for each group, since a group's rows are alike anyway
    if _follows_order(solution.usage[rows]):
        findings.warn(
            file,
            None,
            f"which rows are public can be told from the order of the ids (column {solution.id_column!r}): "
            "rows next to each other are in the same part more often than by chance; give ids at random",
        )
    if competition.public.classes and _follows_order(solution.labels[rows]):
        findings.warn(
            file,
            None,
            f"labels can be told from the order of the ids (column {solution.id_column!r}): rows next to each other "
            "have the same label more often than by chance; give ids at random",
        )


def _follows_order(values: "np.ndarray[Any, Any]") -> bool:
    """Whether neighbours are equal far more often than after shuffling (by six standard errors)."""
    _, counts = np.unique(values, return_counts=True)
    pairs = len(values) - 1
    if len(counts) < 2 or pairs < FEWEST_PAIRS:
        return False
    chance = float(((counts / len(values)) ** 2).sum())
    equal = float(np.mean(values[1:] == values[:-1]))
    return equal - chance > 6 * math.sqrt(chance * (1 - chance) / pairs)
