"""The JSON body of ``POST /score``: predictions for all items, by position or by id."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from ladderboard.core.errors import ParameterError

PREDICTIONS, ITEM_SCORES, IDS, TRAINING_SCORE = "predictions", "item_scores", "ids", "training_score"
EXPLAIN = "explain"
KNOWN = {PREDICTIONS, ITEM_SCORES, IDS, TRAINING_SCORE, EXPLAIN}
EXAMPLE = '{"predictions": [0, 1, 1]} or {"predictions": {"id-1": 0, "id-2": 1}}'


@dataclass(frozen=True)
class ScoreRequest:
    """What a client asks to have scored.

    ``values`` is a list in the order of the labels, a list beside ``ids``, or a mapping from ids.
    ``are_item_scores``: the client graded the items itself. ``is_explained``: the answer says in words what it means,
    which takes longer than the scoring.
    """

    values: list[Any] | dict[str, Any]
    ids: list[Any] | None = None
    training_score: float | None = None
    are_item_scores: bool = False
    is_explained: bool = True


def parse_score_request(body: bytes) -> ScoreRequest:
    """Parse the body. Raises `ParameterError` for what is not JSON of the known form.

    NaN and infinity pass here: the check of predictions refuses them, and names the item.

    >>> parse_score_request(b'{"predictions": [0, 1, 1]}').values
    [0, 1, 1]
    """
    given = _parse_json(body)
    if not isinstance(given, dict) or len(given.keys() & {PREDICTIONS, ITEM_SCORES}) != 1:
        raise ParameterError(f"the body must be a JSON object with one of predictions and item_scores: send {EXAMPLE}")
    unknown = sorted(given.keys() - KNOWN)
    if unknown:
        raise ParameterError(f"{unknown[0][:40]!r} is not known here; send {EXAMPLE}")
    name = PREDICTIONS if PREDICTIONS in given else ITEM_SCORES
    return ScoreRequest(
        _check_values(name, given[name], given.get(IDS)),
        given.get(IDS),
        _check_training_score(given.get(TRAINING_SCORE)),
        are_item_scores=name == ITEM_SCORES,
        is_explained=_check_explain(given.get(EXPLAIN, True)),
    )


def _parse_json(body: bytes) -> Any:
    try:
        return json.loads(body, object_pairs_hook=_refuse_repeated_names)
    except (ValueError, RecursionError) as problem:
        if isinstance(problem, ParameterError):
            raise
        raise ParameterError(f"the body is not JSON ({_locate(problem)}); send {EXAMPLE}") from None


def _refuse_repeated_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ParameterError(f"{twice[:40]!r} is given twice in one object; give each id once")
    return made


def _locate(problem: Exception) -> str:
    if isinstance(problem, json.JSONDecodeError):
        return f"{problem.msg} at character {problem.pos + 1}"
    if isinstance(problem, UnicodeDecodeError):
        return "it is not UTF-8"
    return "it is nested too deeply" if isinstance(problem, RecursionError) else "a number has too many digits"


def _check_values(name: str, values: Any, ids: Any) -> list[Any] | dict[str, Any]:
    if not isinstance(values, list | dict):
        raise ParameterError(f"{name} must be a list, or an object from ids to values; send {EXAMPLE}")
    if ids is not None and (isinstance(values, dict) or not isinstance(ids, list)):
        raise ParameterError(f"ids must be a list beside a list of {name}; an object of {name} brings its own ids")
    return values


def _check_training_score(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < float("inf"):
        raise ParameterError("training_score must be a number such as 0.83; leave it out where it is not needed")
    return float(value)


def _check_explain(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ParameterError("explain must be true or false; leave it out for an answer with words")
    return value
