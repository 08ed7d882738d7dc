"""One cell of a file → one value, or the kind and the sentence of what is wrong with it."""

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

import numpy as np

from ladderboard.metrics.text_inputs import find_list_problem, find_mask_problem, find_text_problem
from ladderboard.tabular.format import SubmissionFormat
from ladderboard.tabular.problems import Kind, brief, join_names, quote
from ladderboard.tabular.text_cells import plain

SHOWN_CLASSES = 6
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}([,.' ][0-9]{3})+([.,][0-9]*)?")
_PERCENT = re.compile(r"[+-]?[0-9]+(\.[0-9]+)? ?%")


class BadCellError(Exception):
    """A cell that cannot be used; never leaves this package."""

    def __init__(self, kind: Kind, explain: Callable[[], str]) -> None:
        super().__init__(kind)
        self.kind = kind
        self.explain = explain
        """Makes the sentence, which is needed for the first problems of a file only."""


def cell_reader(format: SubmissionFormat, *, decimal_comma: bool = False) -> Callable[[str], float]:
    """The function that reads a prediction's cell: a number, or the place of a class in ``format.classes``.

    With ``decimal_comma``, numbers may have one instead of a decimal point.
    """
    if format.takes_texts:
        return OpenTexts(format)
    if format.takes_classes and not format.classes:
        return OpenClasses()
    read = _class_reader(format) if format.takes_classes else _number_reader(format)
    are_names = format.takes_classes and not are_numbers(format.classes)
    return _read_commas(read) if decimal_comma and not are_names else read


def class_values(format: SubmissionFormat) -> np.ndarray[Any, np.dtype[Any]]:
    """The classes as an array of their own type."""
    return np.asarray(format.classes)


class OpenClasses:
    """The reader of classes that are not known here: any text is one, and ``names`` lists those found."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def __call__(self, cell: str) -> float:
        text = plain(cell)
        if not text:
            raise _unknown_class(text, [], is_told=False)
        return self._codes.setdefault(text, len(self._codes))

    @property
    def names(self) -> np.ndarray[Any, np.dtype[Any]]:
        return np.array([*self._codes], dtype=np.str_)


class OpenTexts:
    """The reader of texts that are lists, masks or words: each different one has a number, and ``names`` lists them."""

    def __init__(self, format: SubmissionFormat) -> None:
        self._format = format
        self._codes: dict[str, int] = {}

    def __call__(self, cell: str) -> float:
        text = cell.strip()
        code = self._codes.get(text)
        if code is None:
            problem = find_cell_problem(text, self._format)
            if problem is not None:
                raise BadCellError(*problem)
            code = self._codes[text] = len(self._codes)
        return code

    @property
    def names(self) -> np.ndarray[Any, np.dtype[Any]]:
        return np.array([*self._codes], dtype=object)


def find_cell_problem(text: str, format: SubmissionFormat) -> tuple[Kind, Callable[[], str]] | None:
    """The kind and the sentence of what is wrong with a text, as far as it alone tells; None where nothing is."""
    if format.takes == "ranking":
        if not text:
            return "blank_cell", lambda: "the cell is empty; every row needs a list with at least one id"
        kind: Kind = "bad_list"
        problem = find_list_problem(text, format.most_entries)
    elif format.takes == "mask":
        kind, problem = "bad_mask", find_mask_problem(text)
    else:
        kind, problem = "long_text", find_text_problem(text)
    return None if problem is None else (kind, lambda: f"{quote(text)} {problem}")


def _read_commas(read: Callable[[str], float]) -> Callable[[str], float]:
    def read_with_point(cell: str) -> float:
        return read(cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(plain(cell)) else cell)

    return read_with_point


def _number_reader(format: SubmissionFormat) -> Callable[[str], float]:
    least, greatest = format.bounds

    def read(cell: str) -> float:
        try:
            number = float(cell)
        except ValueError:
            number = float("nan")
        # False for NaN too; Python alone reads 1_000 and digits of other scripts.
        if not least <= number <= greatest or "_" in cell or not cell.isascii():
            return _number_again(cell, format)
        return number

    return read


def _number_again(cell: str, format: SubmissionFormat) -> float:
    """The number in a cell that is no plain one, or what is wrong with it."""
    text = plain(cell)
    if not text:
        raise BadCellError("blank_cell", lambda: "the cell is empty; every row needs a value")
    if "_" in text or not text.isascii():
        raise BadCellError("not_a_number", lambda: _describe_bad_number(text))
    try:
        number = float(text)
    except ValueError:
        raise BadCellError("not_a_number", lambda: _describe_bad_number(text)) from None
    if not np.isfinite(number):
        raise BadCellError("not_finite", lambda: f"{quote(text)} is not a finite number; every row needs one")
    least, greatest = format.bounds
    if least <= number <= greatest:
        return number
    if format.takes == "probabilities":
        raise BadCellError("not_a_probability", lambda: f"{brief(text)} is not a probability between 0 and 1")
    if number < format.smallest and number >= -greatest:
        raise BadCellError(
            "out_of_range",
            lambda: f"{brief(text)} is below {format.smallest:g}, the smallest value allowed",
        )
    raise BadCellError(
        "out_of_range",
        lambda: f"{brief(text)} is too large; numbers lie between {-greatest:g} and {greatest:g}",
    )


def _describe_bad_number(text: str) -> str:
    """What is wrong, and what to do where it is plain what was meant."""
    if _THOUSANDS.fullmatch(text):  # or decimals, which only the writer can tell
        return f"{quote(text)} is not a number; write it without a sign between thousands, and with a decimal point"
    if _DECIMAL_COMMA.fullmatch(text):
        return f"{quote(text)} is not a number; write it with a decimal point: {brief(text.replace(',', '.'))}"
    if _PERCENT.fullmatch(text):
        return f"{quote(text)} is not a number; write a percentage as a fraction, 0.5 for 50 %"
    return f"{quote(text)} is not a number"


def are_numbers(classes: tuple[Any, ...]) -> bool:
    """Whether all classes are numbers that a float holds exactly; such classes are matched by value."""
    return all(type(one) in (int, float) and abs(one) < 2**53 for one in classes)


def _class_reader(format: SubmissionFormat) -> Callable[[str], float]:
    codes = class_codes(format.classes)
    names = [str(one) for one in format.classes]
    is_label = format.takes == "labels"
    by_value = {float(one): code for code, one in enumerate(format.classes)} if are_numbers(format.classes) else {}

    def read(cell: str) -> float:
        code = codes.get(cell)
        if code is None:
            text = plain(cell)
            code = codes.get(text, by_value.get(_value(text)) if by_value else None)
            if code is None:
                raise _other_label(text) if is_label else _unknown_class(text, names, is_told=format.shows_classes)
        return code

    return read


def _value(text: str) -> float:
    try:
        return float(text) if "_" not in text and text.isascii() else float("nan")
    except ValueError:
        return float("nan")


def class_codes(classes: tuple[Any, ...]) -> dict[str, int]:
    """Every writing of every class: as Python writes it; 1 for 1.0; true and TRUE for True. No two are merged.

    Where the two classes are the words true and false, they are taken for that.

    >>> class_codes((False, True))
    {'False': 0, 'True': 1, 'false': 0, 'FALSE': 0, '0': 0, 'true': 1, 'TRUE': 1, '1': 1}
    """
    codes = {str(one): code for code, one in enumerate(classes)}
    are_truths = sorted(str(one).lower() for one in classes) == ["false", "true"]
    for code, one in enumerate(classes):
        for other in _list_other_writings(str(one).lower() == "true" if are_truths else one):
            codes.setdefault(other, code)
    return codes


def _list_other_writings(one: object) -> tuple[str, ...]:
    if isinstance(one, bool | np.bool_):
        return str(one).lower(), str(one).upper(), str(int(one))
    if isinstance(one, float) and one.is_integer():
        return (str(int(one)),)
    return ()


def _unknown_class(text: str, names: list[str], *, is_told: bool) -> BadCellError:
    if not text:
        return BadCellError("blank_cell", lambda: "the cell is empty; every row needs a class")
    if not is_told:
        return BadCellError(
            "unknown_class",
            lambda: f"{quote(text)} is not a class; write classes as the competition's data has them",
        )
    return BadCellError("unknown_class", lambda: _describe_unknown_class(text, names))


def _other_label(text: str) -> BadCellError:
    if not text:
        return BadCellError("blank_cell", lambda: "the cell is empty; every row needs 0 or 1 for each label")
    words = "is neither 0 nor 1; write 1 where the row has the label and 0 where it has not"
    return BadCellError("unknown_class", lambda: f"{quote(text)} {words}")


def _describe_unknown_class(text: str, names: list[str]) -> str:
    near = get_close_matches(text[:100], names, n=1)
    known = join_names([quote(name) for name in names[:SHOWN_CLASSES]], len(names))
    if not near:
        return f"{quote(text)} is not a class; the classes are {known}"
    return f"{quote(text)} is not a class; the classes are {known}; did you mean {quote(near[0])}?"
