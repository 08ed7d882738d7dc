"""Boards of published systems, as failures: items × systems of booleans, and the systems' names."""

from functools import cache

import numpy as np

from ladderboard.evals import LossMatrix, read_loss_matrix
from ladderboard.metrics.inputs import Array
from tests.shared_data import shared_data


@cache
def imagenet(test_set: str) -> tuple[Array, tuple[str, ...]]:
    """67 models on "val" (50,000 images), or on "v2_matched", "v2_threshold07", "v2_top" (10,000 images each)."""
    file, prefix = ("imagenet_val_50k_top1.npz", "") if test_set == "val" else ("imagenetv2_3x10k_top1.npz", test_set)
    arrays = np.load(shared_data("imagenetv2") / file)
    prefix = f"{prefix}_" if prefix else ""
    wrong = arrays[f"{prefix}pred"] != arrays[f"{prefix}label"][:, None]
    return wrong, tuple(str(name) for name in arrays["models"])


@cache
def semeval() -> LossMatrix:
    """The 23 submissions to SemEval-2018 Task 12 on 444 items."""
    path = shared_data("semeval2018_arct") / "predictions.csv.gz"
    return read_loss_matrix(path, kind="predictions", labels_column="label")
