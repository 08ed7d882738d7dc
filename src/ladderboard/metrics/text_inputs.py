"""Kinds of predictions that are texts: a list of ids, a mask as runs of pixels, or words."""

import re
from abc import abstractmethod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ladderboard.core.arrays import Array, read_texts, show_value
from ladderboard.core.errors import LabelsError, ParameterError, PredictionsError
from ladderboard.core.records import IntArray
from ladderboard.metrics.inputs import InputKind, Target, check_length

MOST_ENTRIES = 1000
LONGEST_TEXT = 10_000


class TextCells(InputKind):
    """One text for each item; labels are texts too, in one column or several."""

    has_texts = True
    fewest_label_columns: ClassVar[int] = 1
    most_label_columns: ClassVar[int] = 1

    def takes_label_columns(self, count: int) -> bool:
        """Whether there may be so many columns of labels."""
        return self.fewest_label_columns <= count <= self.most_label_columns

    def may_lack(self, column: int) -> bool:
        """Whether labels may be empty in this column of them, from 0."""
        return False

    @abstractmethod
    def find_problem(self, cell: str) -> str | None:
        """What is wrong with a prediction, as a predicate; None where nothing is. Depends on no label."""

    def refuse_bad_labels(self, table: Array) -> None:
        """Raise `LabelsError` for the first row of labels that cannot be used."""
        return

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        table = read_texts(labels, "label", LabelsError, dimensions=2)
        if not self.takes_label_columns(table.shape[1]):
            raise LabelsError(f"there are {table.shape[1]} label columns; {self.describe_labels()}")
        self.refuse_bad_labels(table)
        return Target(table)

    def describe_labels(self) -> str:
        """What the columns of labels are."""
        return "one column is needed"

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        cells = check_length(read_texts(predictions, "prediction", PredictionsError), len(target))
        for row, cell in enumerate(cells.tolist()):
            problem = self.find_problem(cell)
            if problem is not None:
                raise PredictionsError(f"row {row}: prediction {show_value(cell)} {problem}")
        return cells


class RankedLists(TextCells):
    """Predictions are lists of ids, the best first; labels are the relevant ids, and a second column their grades."""

    takes = "ranking"
    most_label_columns = 2

    def __init__(self, most_entries: int) -> None:
        if not 1 <= most_entries <= MOST_ENTRIES:
            raise ParameterError(f"k is {most_entries}; it must be a whole number from 1 to {MOST_ENTRIES:,}")
        self.most_entries = most_entries
        self.description = f"a list of 1 to {most_entries} different ids with blanks between them, the best first"

    def describe_labels(self) -> str:
        return "one lists the relevant ids, a second one, where there is one, their grades in the same order"

    def find_problem(self, cell: str) -> str | None:
        return find_list_problem(cell, self.most_entries)

    def refuse_bad_labels(self, table: Array) -> None:
        for row, label in enumerate(table.tolist()):
            problem = _find_relevance_problem(*label)
            if problem is not None:
                raise LabelsError(f"row {row}: label {show_value(label[0])} {problem}")


def find_list_problem(cell: str, most: int) -> str | None:
    """What is wrong with a list of ids.

    >>> find_list_problem("d1 d2 d1", 10), find_list_problem("d1 d2 d3", 2)
    ("names 'd1' twice", 'has 3 entries; a list has at most 2')
    """
    entries = cell.split()
    if not entries:
        return "names nothing; a list has at least one entry"
    if len(entries) > most:
        return f"has {len(entries):,} entries; a list has at most {most:,}"
    return _find_repeated(entries)


def _find_repeated(entries: list[str]) -> str | None:
    if len(set(entries)) == len(entries):
        return None
    seen: set[str] = set()
    twice = next(one for one in entries if one in seen or seen.add(one))  # type: ignore[func-returns-value]
    return f"names {show_value(twice)} twice"


def _find_relevance_problem(relevant: str, grades: str | None = None) -> str | None:
    entries = relevant.split()
    if not entries:
        return "names nothing; every query needs at least one relevant id"
    repeated = _find_repeated(entries)
    if repeated is not None or grades is None:
        return repeated
    numbers = grades.split()
    if len(numbers) != len(entries):
        return f"has {len(entries)} ids and {len(numbers)} grades; give a grade for each id"
    wrong = next((one for one in numbers if not one.isascii() or not one.isdigit() or not 0 < int(one) < 100), None)
    return None if wrong is None else f"has the grade {show_value(wrong)}; grades are whole numbers from 1 to 99"


class Masks(TextCells):
    """Predictions are masks as runs of pixels; labels are the true mask, the height and the width of each picture."""

    takes = "mask"
    description = (
        'a mask as blank-separated pairs of a start and a length, such as "3 2 9 1" for the pixels 3, 4 and 9; pixels '
        "count from 1, top to bottom, then left to right; empty: no pixel"
    )
    fewest_label_columns = most_label_columns = 3

    def may_lack(self, column: int) -> bool:
        return column == 0

    def describe_labels(self) -> str:
        return "three are needed: the mask, the height and the width of the picture"

    def find_problem(self, cell: str) -> str | None:
        return find_mask_problem(cell)

    def refuse_bad_labels(self, table: Array) -> None:
        for row, (mask, height, width) in enumerate(table.tolist()):
            wrong = next((one for one in (height, width) if not _WHOLE.fullmatch(one) or one == "0"), None)
            if wrong is not None:
                raise LabelsError(f"row {row}: label {show_value(wrong)} is no height or width in pixels")
            problem = find_mask_problem(mask, int(height) * int(width))
            if problem is not None:
                raise LabelsError(f"row {row}: label {show_value(mask)} {problem}")

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        cells = super().read_predictions(target, predictions)
        for row, (cell, pixels) in enumerate(zip(cells.tolist(), count_pixels(target.values), strict=True)):
            if find_last_pixel(cell) > pixels:
                problem = describe_outside(cell, pixels)
                raise PredictionsError(f"row {row}: prediction {show_value(cell)} {problem}")
        return cells


NO_MASK = ("", "-1")
"""What competitions write for a picture without a mask."""
_WHOLE = re.compile(r"[0-9]{1,9}", re.ASCII)


def count_pixels(labels: Array) -> list[int]:
    """The pixels of each picture, from the labels of `Masks`."""
    return [int(height) * int(width) for _, height, width in labels.tolist()]


def find_last_pixel(cell: str) -> int:
    """The last pixel of a mask in which nothing is wrong; 0 where it has none."""
    if cell.strip() in NO_MASK:
        return 0
    *_, start, length = cell.split()
    return int(start) + int(length) - 1


def describe_outside(cell: str, pixels: int) -> str:
    """Say that a mask does not fit its picture."""
    return f"reaches pixel {find_last_pixel(cell):,}, but the picture has {pixels:,}"


def find_mask_problem(cell: str, pixels: int | None = None) -> str | None:
    """What is wrong with the runs of a mask; ``pixels``: of its picture, where they are known.

    >>> find_mask_problem("1 3 3 2"), find_mask_problem("9 2 1 3"), find_mask_problem("1 2 3")
    ('has overlapping runs: pixel 3 is in two', 'has runs out of order: 1 comes after 9', 'has 3 numbers; a run is ...')
    """
    if cell.strip() in NO_MASK:
        return None
    words = cell.split()
    wrong = next((word for word in words if not _WHOLE.fullmatch(word)), None)
    if wrong is not None:
        return f"holds {show_value(wrong)}; runs are whole numbers"
    if len(words) % 2:
        return f"has {len(words)} numbers; a run is a pair of a start and a length"
    runs = read_runs(cell)
    if int(runs.min()) < 1:
        return "holds a 0; pixels count from 1, and a run has at least one"
    starts, ends = runs[0::2], runs[0::2] + runs[1::2]
    late = np.flatnonzero(starts[1:] < ends[:-1])
    if len(late):
        before, after = int(starts[late[0]]), int(starts[late[0] + 1])
        if after < before:
            return f"has runs out of order: {after} comes after {before}"
        return f"has overlapping runs: pixel {after} is in two"
    return describe_outside(cell, pixels) if pixels is not None and int(ends[-1]) - 1 > pixels else None


def read_runs(cell: str) -> IntArray:
    """The numbers of a mask's runs, start and length after each other."""
    return np.array([] if cell.strip() in NO_MASK else cell.split(), dtype=np.int64)


class Texts(TextCells):
    """Predictions are texts; labels are the references, one or several for each item; further ones may be empty."""

    takes = "text"
    description = f"a text of at most {LONGEST_TEXT:,} characters for each item"
    most_label_columns = 100

    def __init__(self, *, needs_words: bool) -> None:
        self.needs_words = needs_words
        """Whether the first reference must have a word; else an empty one stands for no answer."""

    def may_lack(self, column: int) -> bool:
        return column > 0 or not self.needs_words

    def describe_labels(self) -> str:
        return f"1 to {self.most_label_columns} are needed, each of them a reference"

    def find_problem(self, cell: str) -> str | None:
        return find_text_problem(cell)

    def refuse_bad_labels(self, table: Array) -> None:
        for row, label in enumerate(table.tolist()):
            if self.needs_words and not label[0].strip():
                raise LabelsError(f"row {row}: label {show_value(label[0])} is empty; the first reference needs a word")
            problem = next(filter(None, map(find_text_problem, label)), None)
            if problem is not None:
                raise LabelsError(f"row {row}: label {show_value(label[0])} {problem}")


def find_text_problem(cell: str) -> str | None:
    """What is wrong with a text."""
    if len(cell) > LONGEST_TEXT:
        return f"has {len(cell):,} characters; a text has at most {LONGEST_TEXT:,}"
    return None
