"""Whether labels can be classes: measurements, texts, lists of tags, amounts, dates and what hardly repeats cannot.

A class is the same in many rows. Names of several words ("not spam", "New York", "golden retriever") are classes;
what could be meant otherwise is asked about, and an organiser who lists the classes is believed.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.metrics.inputs import are_measurements

FEWEST_TEXTS = 5
"""Fewer different labels are classes, whatever they look like."""
OWN_LABEL_SHARE = 0.5
"""Where more rows have a label that no other row has, labels are answers and no classes."""
MANY_WORDS = 10
FEW_ROWS_PER_TEXT = 10
"""Long names are names where they come back in so many rows."""
FEWEST_COMBINATIONS = 3
BRACKETED = re.compile(r"\s*(\[.*\]|\{.*\}|\(.*\))\s*", re.DOTALL)
LISTING = ("|", ";")
"""What stands between the parts of a list, and hardly ever in a name."""
DIVIDING = (",", " ")
"""What stands between the parts of a list, and in names too."""
AMOUNT = re.compile(r"[-+]?[$€£¥] ?[0-9][0-9.,]*|[-+]?[0-9][0-9.,]* ?[%‰$€£¥]")
DATE = re.compile(r"[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}([T ].*)?|[0-9]{1,2}([-/.])[0-9]{1,2}\3[0-9]{4}")


def find_misreading(labels: npt.NDArray[Any]) -> str | None:
    """Say what labels are instead of classes; None where they can be classes.

    >>> find_misreading(np.array(["not spam", "spam", "spam", "not spam"]))
    >>> find_misreading(np.array(["sea boat", "sea", "boat", "sky", "sea sky", "sky boat", "sea boat sky"]))
    "look like lists divided by ' ', such as 'sea boat'"
    """
    names, rows = np.unique(labels, return_counts=True)
    if labels.dtype.kind != "U":
        shown = f"are {len(names):,} different numbers in {len(labels):,} rows"
        return shown if are_measurements(names, len(labels)) else None
    texts = [str(name) for name in names]
    return _find_spellings(texts) or _find_quantities(texts) or _find_list(texts) or _find_texts(texts, rows)


def _find_spellings(texts: Sequence[str]) -> str | None:
    """Two labels that are one word, of which one was typed otherwise; single letters are classes of their own."""
    first: dict[str, str] = {}
    for text in (text for text in texts if len(text) > 1):
        other = first.setdefault(text.casefold(), text)
        if other != text:
            return f"differ in case only, such as {_show(other)} and {_show(text)}"
    return None


def _find_quantities(texts: Sequence[str]) -> str | None:
    if len(texts) < FEWEST_TEXTS:
        return None
    if all(AMOUNT.fullmatch(text) for text in texts):
        return f"look like numbers with a sign, such as {_show(texts[0])}"
    if all(DATE.fullmatch(text) for text in texts):
        return f"look like dates, such as {_show(texts[0])}"
    return None


def _find_list(texts: Sequence[str]) -> str | None:
    bracketed = next((text for text in texts if BRACKETED.fullmatch(text)), None)
    if bracketed is not None:
        return f"look like lists, such as {_show(bracketed)}"
    for mark in (*LISTING, *DIVIDING):
        parts = [_divide(text, mark) for text in texts]
        several = [each for each in parts if len(each) > 1]
        if several and (mark in LISTING or _are_combined(parts, several)):
            shown = next(text for text in texts if len(_divide(text, mark)) > 1)
            return f"look like lists divided by {mark!r}, such as {_show(shown)}"
    return None


def _are_combined(parts: Sequence[tuple[str, ...]], several: Sequence[tuple[str, ...]]) -> bool:
    """Whether labels are combinations of the same few parts, as tags are and names are not.

    Each part of each combination must be in another label too, and most of them labels of their own; or combinations
    are of different length, or the same in another order. "Strongly agree" and "strongly disagree" are none.
    """
    if len(several) < FEWEST_COMBINATIONS:
        return False
    found_in = Counter(part for each in parts for part in set(each))
    used = {part for each in several for part in each}
    if any(found_in[part] < 2 for part in used):
        return False
    alone = {each[0] for each in parts if len(each) == 1}
    are_reordered = len({tuple(sorted(each)) for each in several}) < len(several)
    return 2 * len(used & alone) > len(used) or len({len(each) for each in several}) > 1 or are_reordered


def _divide(text: str, mark: str) -> tuple[str, ...]:
    return tuple(part for part in (each.strip() for each in text.split(mark)) if part)


def _find_texts(texts: Sequence[str], rows: npt.NDArray[np.intp]) -> str | None:
    total = int(rows.sum())
    if len(texts) < FEWEST_TEXTS:
        return None
    if int((rows == 1).sum()) > OWN_LABEL_SHARE * total:
        return f"hardly repeat ({len(texts):,} different ones in {total:,} rows), such as {_show(texts[0])}"
    long = np.array([len(text.split()) > MANY_WORDS or "\n" in text for text in texts])
    if rows[long].sum() > total / 2 and total < FEW_ROWS_PER_TEXT * len(texts):
        return f"are texts of many words, such as {_show(texts[int(np.argmax(long))])}"
    return None


def _show(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}…")
