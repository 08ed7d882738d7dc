"""Optional published data of the papers and of real boards."""

import csv
from collections.abc import Iterator
from pathlib import Path

from ladderboard_lab.experiments.base import Conditions

CHECKOUT = Path(__file__).resolve().parents[3]
"""The root of the repository, where the package is used from a checkout."""


def find_shared_folder(conditions: Conditions, name: str) -> Path | None:
    """Find the folder of a data set (``ladder_paper``, ``cifar10`` …); None if absent.

    Looked for in ``conditions.shared``; without it beside the checkout and beside the current directory.
    """
    places = (
        [conditions.shared] if conditions.shared is not None else [_find_beside(CHECKOUT), _find_beside(Path.cwd())]
    )
    return next((place / name for place in places if (place / name).is_dir()), None)


def read_series(path: Path) -> dict[str, dict[int, float]]:
    """Read a CSV file with the columns x, y, label as label → x → y."""
    series: dict[str, dict[int, float]] = {}
    for row in _rows(path):
        series.setdefault(row["label"], {})[int(row["x"])] = float(row["y"])
    return series


def read_pairs(path: Path) -> list[tuple[float, float]]:
    """Read a CSV file with the columns x, y."""
    return [(float(row["x"]), float(row["y"])) for row in _rows(path)]


def _find_beside(place: Path) -> Path:
    return place.parent / "shared" / "data"


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)
