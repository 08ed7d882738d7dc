"""A small competition with a metric as it stands in a notebook on Kaggle."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

N = 200
METRIC = '''
import pandas as pd
import pandas.api.types


class ParticipantVisibleError(Exception):
    pass


def score(solution: pd.DataFrame, submission: pd.DataFrame, row_id_column_name: str, power: float = 1.0) -> float:
    """The mean error, to some power."""
    del solution[row_id_column_name]
    del submission[row_id_column_name]
    if not pandas.api.types.is_numeric_dtype(submission["length"]):
        raise ParticipantVisibleError("length must be a number")
    if submission["length"].min() < 0:
        raise ParticipantVisibleError("no length is negative")
    wrong = (submission["length"] - solution["length"]).abs() ** power
    return float((wrong * solution["important"]).sum() / solution["important"].sum())
'''
TOML = """
title = "Whales"
slug = "whales"
[metric]
file = "metric.py"
lower_is_better = true
bounds = [0, inf]
[limits]
per_day = 50
"""


def make_lengths(seed: int = 0) -> list[int]:
    """The labels."""
    return np.random.default_rng(seed).integers(5, 30, N).tolist()  # type: ignore[no-any-return]


def make_rows(lengths: Sequence[object], *, header: str = "id,length") -> bytes:
    """A submission."""
    return (header + "\n" + "".join(f"w{n},{one}\n" for n, one in enumerate(lengths))).encode()


def make_folder(folder: Path, *, metric: str = METRIC, toml: str = TOML, seed: int = 0) -> Path:
    """The competition's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    rows = [
        f"w{n},{length},{rng.integers(1, 4)},{'Public' if rng.random() < 0.6 else 'Private'}\n"
        for n, length in enumerate(make_lengths(seed))
    ]
    # Out of order: the frames have the order of the file, whatever that of the ids.
    (folder / "solution.csv").write_text("id,length,important,Usage\n" + "".join(rows[::-1]))
    (folder / "sample_submission.csv").write_bytes(make_rows([15.5] * N))
    (folder / "metric.py").write_text(metric)
    (folder / "competition.toml").write_text(toml)
    (folder / "description.md").write_text("# Whales\n\nHow long is each?\n")
    return folder
