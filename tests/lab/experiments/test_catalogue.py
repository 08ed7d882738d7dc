"""The catalogue of the sources: nothing is missing, and everything it names exists."""

import re
from pathlib import Path

import ladderboard as lb
from ladderboard_lab import attacks
from ladderboard_lab.experiments import EXPERIMENTS
from ladderboard_lab.experiments.sources import SOURCES

PAGE = Path(__file__).parents[3] / "docs" / "theory" / "papers.md"
NUMBERED = {
    "Ladder": (
        *(f"Algorithm {number}" for number in range(1, 4)),
        *(f"Figure {number}" for number in range(1, 4)),
        *("Inequality 2", "Equations 4 and 5"),
        *("Definition 2.1", "Theorem 3.1", "Claim 3.2", "Theorem 3.3", "Theorem 5.1", "Corollary 5.2"),
    ),
    "Slides": tuple(f"Algorithm {number}" for number in range(1, 4)),
    "Blog": ("Theorem 3.1", "Claim 3.2", "Theorem 3.3"),
    "Neto": (
        "Equation 2",
        *(f"Algorithm {number}" for number in range(1, 8)),
        *(f"Fig {number}" for number in range(1, 7)),
        *(f"Fig S{number}" for number in range(1, 14)),
        *(f"Text S{number}" for number in range(1, 5)),
    ),
    "Multiplicity": ("Table 1", "Equations 1 and 2", *(f"Figure {number}" for number in range(1, 9))),
}


def test_every_numbered_item_of_the_sources_is_listed() -> None:
    for source, numbers in NUMBERED.items():
        listed = [item.number for item in SOURCES[source][2]]
        assert [number for number in numbers if number not in listed] == []


def test_what_redoes_an_item_exists() -> None:
    names = {name for _, _, items in SOURCES.values() for item in items for name in item.by}
    classes = {made.__name__ for made in attacks.ATTACKS.values()}
    assert [name for name in names if name not in EXPERIMENTS and name not in classes and not hasattr(lb, name)] == []


def test_an_id_with_a_figures_number_is_listed_at_that_figure() -> None:
    for source, (_, _, items) in SOURCES.items():
        for item in items:
            number = re.fullmatch(r"(?:Fig|Figure|Table) (S?\d+)", item.number)
            if number is not None:
                kind = "table" if item.number.startswith("Table") else "" if number[1].startswith("S") else "fig"
                assert item.by == (f"{source.lower()}-{kind}{number[1].lower()}",)


def test_every_experiment_of_a_source_is_in_its_catalogue_and_has_a_verdict() -> None:
    listed = {name for _, _, items in SOURCES.values() for item in items for name in item.experiments}
    assert [name for name in EXPERIMENTS if not name.startswith(("own-", "thresholdout-")) and name not in listed] == []
    text = PAGE.read_text()
    assert [name for name in EXPERIMENTS if f"\n| `{name}` | " not in text] == []
