"""The module `kaggle_metric_utilities` that metrics from Kaggle import, with the same names.

The child process that runs such a metric puts it where the import finds it (`frame_process`).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype


class ParticipantVisibleError(Exception):
    """An error whose text is meant for participants."""


class HostVisibleError(Exception):
    """An error whose text is meant for the organiser."""


def treat_as_participant_error(error_message: str, solution: Any) -> bool:
    """Whether a text can quote no label: the solution is all numbers, and the text has none of them."""
    columns = list(solution.dtypes) if isinstance(solution, pd.DataFrame) else [np.asarray(solution).dtype]
    if not all(is_numeric_dtype(one) for one in columns) or any(map(str.isnumeric, error_message)):
        return False
    has_truths = any(is_bool_dtype(one) for one in columns)
    return not (has_truths and any(word in error_message.lower() for word in ("true", "false")))


def safe_call_score(metric_function: Callable[..., float], solution: Any, submission: Any, **options: Any) -> float:
    """The function's value; an error that can quote no label becomes one for participants."""
    try:
        return metric_function(solution, submission, **options)
    except Exception as problem:
        if type(problem).__name__ == "ParticipantVisibleError" or treat_as_participant_error(str(problem), solution):
            raise ParticipantVisibleError(str(problem)) from problem
        if type(problem).__name__ == "HostVisibleError":
            raise HostVisibleError(str(problem)) from problem
        raise


def verify_valid_probabilities(df: pd.DataFrame, df_name: str) -> None:
    """Refuse a table whose rows are no probabilities of classes."""
    if not is_numeric_dtype(df.values):
        raise ParticipantVisibleError(f"All target values in {df_name} must be numeric")
    if df.min().min() < 0:
        raise ParticipantVisibleError(f"All target values in {df_name} must be at least zero")
    if df.max().max() > 1:
        raise ParticipantVisibleError(f"All target values in {df_name} must be no greater than one")
    if not np.allclose(df.sum(axis=1), 1):
        raise ParticipantVisibleError(f"Target values in {df_name} do not add to one within all rows")


call_sklearn = safe_call_score
