"""What an organiser's file of Python is, said by its function's name; nothing of it is run to find out."""

import ast
from typing import Literal

from ladderboard.core.errors import ParameterError

ScorerKind = Literal["arrays", "score_items"]
"""``score(labels, predictions, …)``, or ``score_items(submission, solution)``."""
NAMED: dict[str, ScorerKind] = {"score_items": "score_items"}
"""The functions that say by their name what they are."""


def find_scorer_kind(source: str, function: str | None) -> tuple[ScorerKind, str]:
    """The kind of a scorer and the name of its function, None: whichever is there.

    >>> find_scorer_kind("def score_items(submission, solution): ...", None)
    ('score_items', 'score_items')
    >>> find_scorer_kind("from mine import score", None)
    ('arrays', 'score')
    """
    try:
        defined = {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    except (SyntaxError, ValueError, RecursionError):
        defined = set()  # loading it says what is wrong, with its line
    if function is not None:
        return NAMED.get(function, "arrays"), function
    named = [name for name in NAMED if name in defined]
    if named and "score" in defined:
        raise ParameterError(f'it defines both score and {named[0]}; say which with function = "{named[0]}"')
    return (NAMED[named[0]], named[0]) if named else ("arrays", "score")
