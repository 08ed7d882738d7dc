"""The largest body that a holdout service reads: every right one, in the widest layout, and little more."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.guard.holdout import Holdout
from ladderboard.guard.service.body_limit import ENVELOPE_BYTES, MOST_BYTES, RUNS, find_body_limit
from ladderboard.guard.service.request_body import parse_score_request
from ladderboard.metrics import METRICS
from ladderboard.metrics.base import Metric
from tests.contracts.metric_cases import case_for

SMALL_MULTIPLE = 4.0
"""Of the widest right body; what is read in vain is bounded by it."""
LAYOUTS = ["list", "object", "ids beside"]

pytestmark = pytest.mark.filterwarnings("ignore::ladderboard.guard.warnings.LowPowerWarning")  # 20 items are few

NUMBERS = [metric for metric in METRICS.values() if not metric.kind.has_texts]
all_metrics = pytest.mark.parametrize("metric", NUMBERS, ids=lambda metric: metric.name)


def write_wide(value: Any, depth: int = 0) -> str:
    """JSON with each value on a line of its own, indented by fours, and with all digits of each number."""
    inner, outer = "\n" + 4 * (depth + 1) * " ", "\n" + 4 * depth * " "
    if isinstance(value, dict):
        pairs = (f"{json.dumps(name)}: {write_wide(one, depth + 1)}" for name, one in value.items())
        return "{" + inner + ("," + inner).join(pairs) + outer + "}"
    if isinstance(value, list):
        return "[" + inner + ("," + inner).join(write_wide(one, depth + 1) for one in value) + outer + "]"
    return f"{value:.16e}" if isinstance(value, float) else json.dumps(value)


def lay_out(layout: str, name: str, ids: list[str], values: list[Any]) -> str:
    beside = {"training_score": 0.1, "explain": False}
    if layout == "object":
        return write_wide({name: dict(zip(ids, values, strict=True)), **beside})
    return write_wide({name: values, **beside, **({"ids": ids} if layout == "ids beside" else {})})


def name_items(kind: str, items: int) -> list[str]:
    long = {
        "numbers": "{}",
        "long": "s3://bucket/pets, [dogs] & whales/" + "x" * 200 + "/{}.png",
        "escapes": "Größe – 猫😀 №{}",
    }
    return [long[kind].replace("{}", str(number)) for number in range(items)]


@contextmanager
def a_guard(metric: Metric, labels: Any, ids: list[str] | None) -> Iterator[Holdout]:
    with Holdout(labels, metric, path=":memory:", seed=7, ids=ids) as holdout:
        yield holdout


def is_read(holdout: Holdout, body: str) -> bool:
    """Whether the body is a right one for the guard itself, with no more values than are parsed."""
    find_body_limit(holdout).refuse_crowded(body.encode())
    asked = parse_score_request(body.encode())
    return holdout.score(asked.values, ids=asked.ids, training_score=asked.training_score).attempt > 0


@all_metrics
@pytest.mark.parametrize("items", [20, 2000])
@pytest.mark.parametrize("named", ["numbers", "long", "escapes"])
def test_the_widest_right_body_fits_and_not_much_more(metric: Metric, items: int, named: str) -> None:
    case = case_for(metric, items=items)
    ids, values = name_items(named, items), np.asarray(case.predictions).tolist()
    with a_guard(metric, case.labels, ids) as holdout:
        limit = find_body_limit(holdout).size
        bodies = {layout: lay_out(layout, "predictions", ids, values) for layout in LAYOUTS}
        assert all(is_read(holdout, body) for body in bodies.values())
    widest = max(len(body.encode()) for body in bodies.values())
    assert widest <= limit <= ENVELOPE_BYTES + SMALL_MULTIPLE * widest


@all_metrics
def test_without_ids_counted_ones_may_still_be_given(metric: Metric) -> None:
    case, items = case_for(metric, items=2000), 2000
    values = np.asarray(case.predictions).tolist()
    with a_guard(metric, case.labels, None) as holdout:
        body = write_wide({"ids": list(range(items)), "predictions": values})
        assert is_read(holdout, body)
        assert len(body) <= find_body_limit(holdout).size <= ENVELOPE_BYTES + SMALL_MULTIPLE * len(body)


@pytest.mark.parametrize("classes", [2, 3, 50])
@pytest.mark.parametrize("items", [200, 2000])
def test_a_probability_for_each_class_fits(classes: int, items: int) -> None:
    ids = name_items("long", items)
    values = [[1 / classes - 1e-9 * row] * classes for row in range(items)]
    with a_guard(METRICS["log_loss"], np.arange(items) % classes, ids) as holdout:
        limit = find_body_limit(holdout).size
        bodies = [lay_out(layout, "predictions", ids, values) for layout in LAYOUTS]
        assert all(is_read(holdout, body) for body in bodies)
    widest = max(map(len, bodies))
    assert widest <= limit <= ENVELOPE_BYTES + SMALL_MULTIPLE * widest


@pytest.mark.parametrize("name", ["chat", "chat, dog & {fox} — " * 20, "猫😀"])
def test_long_names_of_classes_fit(name: str) -> None:
    labels = [f"{name}{row % 2}" for row in range(200)]
    with a_guard(METRICS["error_rate"], labels, None) as holdout:
        body = write_wide({"ids": list(range(200)), "predictions": labels})
        assert is_read(holdout, body)
        assert len(body) <= find_body_limit(holdout).size <= ENVELOPE_BYTES + SMALL_MULTIPLE * len(body)


@pytest.mark.parametrize("groups", [None, 20])
@pytest.mark.parametrize("items", [20, 2000])
def test_scores_of_items_fit_with_all_their_runs(items: int, groups: int | None) -> None:
    ids = name_items("escapes", items)
    runs = {one: [(number % 7) / 7] * RUNS for number, one in enumerate(ids)}
    grouped = None if groups is None else [str(row % groups) for row in range(items)]
    with Holdout.from_item_scores(ids, groups=grouped, path=":memory:", seed=7) as holdout:
        limit, body = find_body_limit(holdout).size, write_wide({"item_scores": runs})
        assert is_read(holdout, body)
    assert len(body) <= limit <= ENVELOPE_BYTES + SMALL_MULTIPLE * len(body)


@all_metrics
def test_many_more_values_than_the_items_need_are_not_parsed(metric: Metric) -> None:
    case = case_for(metric)
    with a_guard(metric, case.labels, None) as holdout:
        limit, needed = find_body_limit(holdout), len(holdout) * holdout._key.width
    for one in (b"0", b"[]", b"{}"):
        with pytest.raises(ParameterError, match="too many values"):
            limit.refuse_crowded(b"[" + b",".join([one] * (8 * needed)) + b"]")


def test_the_limit_has_a_limit() -> None:
    with a_guard(METRICS["log_loss"], np.arange(20_000) % 2000, None) as holdout:
        assert find_body_limit(holdout).size == MOST_BYTES


@pytest.mark.parametrize("ids", [None, name_items("long", 20)], ids=["in order", "by id"])
def test_texts_may_be_long_and_hold_any_signs(ids: list[str] | None) -> None:
    texts = ['one, two [three] {four} "five" \\ ' * 290] * 20
    labels = [f"some words {number}" for number in range(20)]
    with a_guard(METRICS["token_f1"], labels, ids) as holdout:
        given = texts if ids is None else dict(zip(ids, texts, strict=True))
        body = write_wide({"predictions": given})
        assert is_read(holdout, body)
        assert len(body) <= find_body_limit(holdout).size


def test_of_texts_too_many_values_outside_of_them_are_not_parsed() -> None:
    with a_guard(METRICS["token_f1"], [f"some words {number}" for number in range(20)], None) as holdout:
        for one in ("[]", "{}", '"a, b"'):
            with pytest.raises(ParameterError, match="too many values"):
                find_body_limit(holdout).refuse_crowded(f"[{','.join([one] * 400)}]".encode())
