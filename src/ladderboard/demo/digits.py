"""The demo's task: whether a handwritten digit is odd, from the images in scikit-learn."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from ladderboard.core.records import FloatArray, IntArray

SLUG = "odd-or-even"
SEED = 11
SPLIT_SEED = 3
"""Of splits like any other, one whose halves are about as hard: nobody should wonder about the luck of the split."""
TRAINING_ROWS = 597
DAYS = 14
"""How long the competition has been open when the demo starts."""
DAYS_LEFT = 7
PER_DAY = 100
"""Generous on purpose: it is not a limit that keeps this board true."""


@dataclass(frozen=True, eq=False)
class Digits:
    """The data: images as rows of 64 grey values from 0 to 1, and whether the digit is odd."""

    training: FloatArray
    training_labels: IntArray
    test: FloatArray
    labels: IntArray
    is_public: np.ndarray[tuple[int], np.dtype[np.bool_]]

    @property
    def ids(self) -> IntArray:
        return np.arange(1, len(self.labels) + 1)

    def score(self, predictions: IntArray, *, public: bool) -> float:
        """Compute the raw accuracy on one part of the test rows, which a real board never shows."""
        part = self.is_public if public else ~self.is_public
        return float(np.mean(predictions[part] == self.labels[part]))


def load_digits(test_rows: int = 1000) -> Digits:
    """Load the data in a fixed random order; half of the test rows are public."""
    from sklearn.datasets import load_digits as bundled

    images, digits = bundled(return_X_y=True)
    order = np.random.default_rng(SEED).permutation(len(digits))[: TRAINING_ROWS + test_rows]
    images, odd = np.asarray(images)[order] / 16, np.asarray(digits)[order] % 2
    first, rest = slice(0, TRAINING_ROWS), slice(TRAINING_ROWS, None)
    is_public = np.random.default_rng(SPLIT_SEED).permutation(np.arange(test_rows) % 2 == 0)
    return Digits(images[first], odd[first], images[rest], odd[rest], is_public)


def write_folder(folder: Path, digits: Digits, *, opens: datetime) -> None:
    """Write the competition folder."""
    data = folder / "data"
    data.mkdir(parents=True)
    deadline = opens + timedelta(days=DAYS + DAYS_LEFT, hours=18)
    (folder / "competition.toml").write_text(_TOML.format(opens=opens.isoformat(), deadline=deadline.isoformat()))
    (folder / "description.md").write_text(_DESCRIPTION)
    usage = np.where(digits.is_public, "Public", "Private")
    rows = zip(digits.ids, digits.labels, usage, strict=True)
    (folder / "solution.csv").write_text("id,odd,Usage\n" + "".join(f"{i},{y},{part}\n" for i, y, part in rows))
    one_odd = np.eye(1, len(digits.ids), dtype=int)[0]
    (folder / "sample_submission.csv").write_bytes(write_submission(digits, one_odd))
    _write_images(data / "train.csv", digits.training, digits.training_labels)
    _write_images(data / "test.csv", digits.test, None)


def write_submission(digits: Digits, predictions: IntArray) -> bytes:
    """Write predictions as a submission file."""
    rows = zip(digits.ids.tolist(), predictions.tolist(), strict=True)
    return ("id,odd\n" + "".join(f"{i},{value}\n" for i, value in rows)).encode()


def _write_images(path: Path, images: FloatArray, labels: IntArray | None) -> None:
    head = ["id", *(f"p{i}" for i in range(images.shape[1])), *([] if labels is None else ["odd"])]
    columns = [np.arange(1, len(images) + 1)[:, None], (images * 16).round().astype(int)]
    table = np.hstack(columns if labels is None else [*columns, labels[:, None]])
    np.savetxt(path, table, fmt="%d", delimiter=",", header=",".join(head), comments="")


_TOML = """\
title = "Odd or even?"
slug = "odd-or-even"
summary = "Does a handwritten digit show an odd number? Honest teams with real models, and one that only guesses."
metric = "accuracy"
mechanism = "witness_ladder"
time_zone = "UTC"
opens = {opens}
deadline = {deadline}
finals = 2

[limits]
per_day = 100                 # far more than honest teams need: it is not the limit that keeps this board true

[solution]
file = "solution.csv"
id = "id"
label = "odd"
usage = "Usage"
"""

_DESCRIPTION = """\
# Odd or even?

Each image is 8 × 8 pixels of a handwritten digit, given as 64 grey values from 0 to 16 (`p0` … `p63`).
Predict whether the digit is odd: **1** for 1, 3, 5, 7, 9, and **0** for 0, 2, 4, 6, 8.

## Files

`train.csv` has 597 images with the column `odd`; `test.csv` has those to predict. A submission has the columns `id`
and `odd`.

## This is a demo

Honest teams train real models and submit what they get. The team **Lucky Strike** has never trained one: it changes one
answer after the other and watches whether its number moves. [See what it got here, and elsewhere](/demo).
"""
