"""Everything that a scikit-learn search over a guarded holdout needs: one split, a scorer, and safe settings."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import InputError
from ladderboard.core.records import IntArray

REFIT = (
    "refit would train on the rows of the holdout; pass refit=False, and fit the best parameters on the training rows"
)


class SearchRefusedError(BaseException):
    """A search that a guard refuses. No `Exception`: scikit-learn would turn it into NaN and a warning per fold."""


@dataclass(frozen=True, eq=False)
class SearchSplit:
    """The data, the split and the scorer of a search.

    ``GridSearchCV(model, grid, **split.settings).fit(split.X, split.y)``. ``X`` holds the training rows and then those
    of the holdout; ``y`` has a stand-in for the holdout's labels, which never leave the guard. ``settings`` are ``cv``,
    ``scoring``, ``refit=False``, ``return_train_score=False`` and ``error_score="raise"``; ``X_train`` and ``y_train``
    are for fitting the best model afterwards.
    """

    X: Any
    y: npt.NDArray[Any] = field(repr=False)
    settings: dict[str, Any]
    X_train: Any = field(repr=False)
    y_train: npt.NDArray[Any] = field(repr=False)


@dataclass(frozen=True)
class OneSplit:
    """A cross-validator with one split: the first rows train, the others are the holdout's."""

    training: int
    items: int

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[tuple[IntArray, IntArray]]:  # noqa: N803 (scikit-learn's signature)
        refuse_refit()
        rows = np.arange(self.training + self.items)
        yield rows[: self.training], rows[self.training :]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: N803
        return 1


def stack_rows(training: Any, held_out: Any) -> Any:
    """Put the rows of two tables of one kind below each other."""
    if hasattr(training, "iloc"):
        import pandas as pd

        return pd.concat([training, held_out], ignore_index=True)
    if hasattr(training, "toarray"):
        from scipy.sparse import vstack

        return vstack([training, held_out], format="csr")
    return np.concatenate([np.asarray(training), np.asarray(held_out)])


def check_rows(X: Any, y: npt.NDArray[Any], X_holdout: Any, items: int) -> None:  # noqa: N803
    """Refuse tables whose rows do not match."""
    rows, held_out = count_rows(X), count_rows(X_holdout)
    if rows != len(y):
        raise InputError(f"X has {rows} rows and y {len(y)} labels; give the training rows and their labels")
    if held_out != items:
        raise InputError(
            f"X_holdout has {held_out} rows, the holdout {items} items; give the holdout's inputs in its order"
        )


def count_rows(X: Any) -> int:  # noqa: N803
    """Count the rows of a table."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def refuse_refit() -> None:
    """Refuse where a search that would refit is asking; scikit-learn tells a splitter nothing of it, its frames do."""
    for frame in _list_callers():
        if getattr(frame.f_locals.get("self"), "refit", False) is not False and _is_sklearn(frame):
            raise InputError(REFIT)


def is_swallowed() -> bool:
    """Whether scikit-learn would turn an error of the scorer into NaN and a warning for every fold."""
    return any(frame.f_locals.get("error_score", "raise") != "raise" for frame in _list_callers() if _is_sklearn(frame))


def _list_callers() -> Iterator[FrameType]:
    frame = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back  # type: ignore[assignment]  # None ends it


def _is_sklearn(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith("sklearn.")
