"""Which labels can be classes, on sets as people have them, and which would be misread."""

import itertools
import re
from collections.abc import Sequence

import numpy as np
import pytest

from ladderboard.competition.solution.class_labels import find_misreading

COUNTRIES = (
    "Korea, Republic of", "Korea, Democratic People's Republic of", "Moldova, Republic of", "South Africa",
    "South Sudan", "Sudan", "North Macedonia", "New Zealand", "Papua New Guinea", "Guinea", "Equatorial Guinea",
    "Guinea-Bissau", "Congo", "Congo, The Democratic Republic of the", "United States", "United Kingdom",
    "United Kingdom of Great Britain and Northern Ireland", "Saint Helena, Ascension and Tristan da Cunha", "Niger",
    "Nigeria", "Dominica", "Dominican Republic", "Central African Republic", "Czech Republic",
)  # fmt: skip
DOGS = ("golden retriever", "labrador retriever", "flat-coated retriever", "irish setter", "english setter", "beagle")
STATES = ("New York", "New Jersey", "New Mexico", "North Dakota", "South Dakota", "North Carolina", "South Carolina",
          "West Virginia", "Virginia", "Washington")  # fmt: skip
AGREEMENT = ("agree", "disagree", "neutral", "strongly agree", "strongly disagree")
LONG = tuple(f"the first statement follows from the second one whatever case number {i} says" for i in range(3))


def repeat(classes: Sequence[str], rows: int) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    return np.array([classes[code] for code in np.random.default_rng(0).integers(0, len(classes), rows)])


@pytest.mark.parametrize(
    ("classes", "rows"),
    [
        (("setosa", "versicolor", "virginica"), 150),
        (("not spam", "spam"), 300),
        (DOGS, 60),
        (STATES, 200),
        (COUNTRIES, 200),
        (AGREEMENT, 100),
        (("T cell", "B cell", "NK cell", "CD4 T cell", "CD8 T cell"), 100),
        (("left lung", "right lung", "left kidney", "right kidney"), 100),
        (tuple(f"species {i}" for i in range(100)), 300),
        (tuple(f"c{i}" for i in range(100)), 100),
        (LONG, 300),
        (("a", "b", "c", "d"), 4),
        (("A", "a", "B", "b"), 100),
        (("0%", "50%", "100%"), 100),
        (tuple(f"{age}-{age + 9}" for age in range(0, 100, 10)), 100),
    ],
    ids=lambda given: str(given[0]) if isinstance(given, tuple) else "",
)
def test_names_are_classes(classes: tuple[str, ...], rows: int) -> None:
    assert find_misreading(repeat(classes, rows)) is None


TAGS = tuple(
    " ".join(tags) for count in (1, 2, 3) for tags in itertools.combinations(("fire", "flood", "storm"), count)
)


@pytest.mark.parametrize(
    ("classes", "rows", "words"),
    [
        (("Yes", "no", "yes"), 300, "differ in case only, such as 'Yes' and 'yes'"),
        (("$1,200", "$30", "$45", "$5.50", "$99"), 300, r"look like numbers with a sign, such as '\$1,200'"),
        (("1%", "12.5%", "30%", "45 %", "99%"), 300, "look like numbers with a sign, such as '1%'"),
        (tuple(f"2024-01-0{day}" for day in range(1, 8)), 300, "look like dates, such as '2024-01-01'"),
        (tuple(f"0{day}.01.2024" for day in range(1, 8)), 300, "look like dates, such as '01.01.2024'"),
        (tuple(f"summary {i} of the meeting" for i in range(300)), None, r"hardly repeat \(300 different ones in 300"),
        (tuple(f"Answer{i}" for i in range(40)), None, "hardly repeat"),
        (TAGS, 300, r"lists divided by ' '"),
        (tuple(tag.replace(" ", ",") for tag in TAGS), 300, r"lists divided by ','"),
        (tuple(tag.replace(" ", "|") for tag in TAGS), 300, r"lists divided by '\|'"),
        (("Action|Comedy", "Drama"), 300, r"lists divided by '\|'"),
        (("a b", "b c", "a c", "a b c"), 300, r"lists divided by ' '"),
        (('["cat"]', '["cat", "dog"]', "[]"), 300, "look like lists, such as"),
        (("{'cat': 1}", "{'dog': 1}"), 300, "look like lists, such as"),
        (tuple(f"{i} a sentence of many words that goes on and on for a while" for i in range(50)), 200, "are texts"),
    ],
)  # fmt: skip
def test_texts_and_lists_are_none(classes: tuple[str, ...], rows: int | None, words: str) -> None:
    labels = np.array(classes) if rows is None else repeat(classes, rows)
    found = find_misreading(labels)
    assert found is not None
    assert re.search(words, found), found


def test_numbers_are_classes_where_they_repeat() -> None:
    assert find_misreading(np.arange(300) % 30) is None
    assert find_misreading(np.arange(300)) == "are 300 different numbers in 300 rows"
    assert find_misreading(np.arange(300) % 50 / 2) == "are 50 different numbers in 300 rows"
