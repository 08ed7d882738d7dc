"""Dice and IoU of run-length encoded masks, against masks drawn pixel by pixel; and which runs are refused."""

import numpy as np
import pytest

from ladderboard.core.errors import LabelsError, PredictionsError
from ladderboard.metrics.inputs import Array
from ladderboard.metrics.masks import Dice, IntersectionOverUnion

SIDE = 15


def encode(mask: Array) -> str:
    """The runs of a picture as Kaggle's competitions number pixels: down the columns, from 1."""
    padded = np.concatenate([[0], mask.T.ravel(), [0]])
    starts, ends = np.flatnonzero(np.diff(padded) == 1), np.flatnonzero(np.diff(padded) == -1)
    return " ".join(f"{start + 1} {end - start}" for start, end in zip(starts, ends, strict=True))


def test_scores_are_those_of_the_pictures() -> None:
    rng = np.random.default_rng(0)
    shares = rng.uniform(0, 0.7, (60, 1, 1))
    shares[:3] = 0
    true = (rng.random((60, SIDE, SIDE)) < shares).astype(int)
    given = true ^ (rng.random(true.shape) < rng.choice([0.0, 0.2], (60, 1, 1)))
    labels = [[encode(mask), str(SIDE), str(SIDE)] for mask in true]
    both, sizes = (true & given).sum(axis=(1, 2)), true.sum(axis=(1, 2)) + given.sum(axis=(1, 2))
    are_empty = sizes == 0
    assert are_empty.any()
    answers = [encode(mask) for mask in given]
    dice, iou = (metric.contributions(labels, answers) for metric in (Dice(), IntersectionOverUnion()))
    np.testing.assert_allclose(dice, np.where(are_empty, 1, 2 * both / np.maximum(sizes, 1)))
    np.testing.assert_allclose(iou, np.where(are_empty, 1, both / np.maximum(sizes - both, 1)))


@pytest.mark.parametrize("nothing", ["", "  ", "-1"])
def test_nothing_and_minus_one_are_masks_without_pixels(nothing: str) -> None:
    assert Dice().contributions([[nothing, "3", "3"], ["1 2", "3", "3"]], ["", nothing]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("1 2 3", "has 3 numbers; a run is a pair"),
        ("1 x", "holds 'x'; runs are whole numbers"),
        ("1 2.0", r"holds '2\.0'"),
        ("-3 2", "holds '-3'"),
        ("0 2", "holds a 0; pixels count from 1"),
        ("2 0", "holds a 0"),
        ("1 3 3 1", "has overlapping runs: pixel 3 is in two"),
        ("5 1 2 1", "has runs out of order: 2 comes after 5"),
        ("8 3", "reaches pixel 10, but the picture has 9"),
        ("1 99999999999999999999", "holds '9999"),
    ],
)
def test_runs_that_are_no_mask_of_the_picture_are_refused(bad: str, words: str) -> None:
    good = ["1 2", "3", "3"]
    with pytest.raises(PredictionsError, match=f"row 1: prediction .*{words}"):
        Dice().score([good, good], ["1 2", bad])
    with pytest.raises(LabelsError, match=f"row 1: label .*{words}"):
        Dice().score([good, [bad, "3", "3"]], ["1 2", "1 2"])


def test_runs_may_touch() -> None:
    assert Dice().score([["1 4", "3", "3"]] * 2, ["1 2 3 2"] * 2) == 1


@pytest.mark.parametrize("bad", ["0", "", "2.5", "-3"])
def test_a_picture_has_a_height_and_a_width(bad: str) -> None:
    with pytest.raises(LabelsError, match=f"row 1: label '{bad}' is no height or width in pixels"):
        Dice().score([["1 2", "3", "3"], ["1 2", bad, "3"]], ["1 2", "1 2"])


def test_the_size_of_the_picture_is_needed() -> None:
    with pytest.raises(LabelsError, match="1 label columns; three are needed"):
        Dice().score(["1 2", "3 4"], ["1 2", "3 4"])
