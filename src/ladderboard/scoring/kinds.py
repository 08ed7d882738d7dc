"""What an organiser's file of Python is, said by its functions' names and parameters; nothing of it is run for that."""

import ast
from typing import Literal

from ladderboard.core.errors import ParameterError

ScorerKind = Literal["arrays", "frames", "score_items", "evaluate"]
"""``score(labels, predictions, …)``; Kaggle's ``score(solution, submission, row_id_column_name, …)``;
``score_items(submission, solution)``; EvalAI's ``evaluate(test_annotation_file, user_submission_file, …)``."""
NAMED: dict[str, ScorerKind] = {"score_items": "score_items", "evaluate": "evaluate"}
"""The functions that say by their name what they are."""
FRAMES = ("solution", "submission")
"""The first parameters of a function of pandas frames, as Kaggle prescribes them."""


def find_scorer_kind(source: str, function: str | None) -> tuple[ScorerKind, str]:
    """The kind of a scorer and the name of its function, None: whichever is there.

    >>> find_scorer_kind("def score_items(submission, solution): ...", None)
    ('score_items', 'score_items')
    >>> find_scorer_kind("def score(solution, submission, row_id_column_name): ...", None)
    ('frames', 'score')
    >>> find_scorer_kind("from mine import score", None)
    ('arrays', 'score')
    """
    try:
        defined = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    except (SyntaxError, ValueError, RecursionError):
        defined = {}  # loading it says what is wrong, with its line
    if function is None:
        named = [name for name in NAMED if name in defined]
        both = [*named, *(["score"] if "score" in defined and named else [])]
        if len(both) > 1:
            raise ParameterError(f'it defines {" and ".join(both)}; say which with function = "{both[0]}"')
        function = named[0] if named else "score"
    if function in NAMED:
        return NAMED[function], function
    return ("frames" if function in defined and _takes_frames(defined[function]) else "arrays"), function


def _takes_frames(function: ast.FunctionDef) -> bool:
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    return tuple(names[:2]) == FRAMES and len(names) > 2
