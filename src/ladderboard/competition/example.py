"""An example competition with made-up data."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

TRAIN_ROWS = 1000
TEST_ROWS = 2000
TITLE = "Who will click?"


@dataclass(frozen=True)
class Example:
    """The files of an example competition."""

    solution: bytes
    train: bytes
    test: bytes


def make_example(seed: int) -> Example:
    """Make an example of two classes that depend on three of four numbers; reproducible by seed."""
    rng = np.random.default_rng(seed)
    rows = TRAIN_ROWS + TEST_ROWS
    features = rng.normal(size=(rows, 4)).round(3)
    odds = features @ np.array([1.0, -0.7, 0.4, 0.0]) - 0.3
    labels = (rng.random(rows) < 1 / (1 + np.exp(-odds))).astype(int)
    names, ids = ["age", "visits", "hour", "noise"], np.arange(1, rows + 1)
    train, test = slice(0, TRAIN_ROWS), slice(TRAIN_ROWS, rows)
    return Example(
        solution=_csv(["id", "clicked"], zip(ids[test], labels[test], strict=True)),
        train=_csv(
            ["id", *names, "clicked"],
            ((i, *x, y) for i, x, y in zip(ids[train], features[train], labels[train], strict=True)),
        ),
        test=_csv(["id", *names], ((i, *x) for i, x in zip(ids[test], features[test], strict=True))),
    )


def _csv(header: list[str], rows: Iterable[tuple[object, ...]]) -> bytes:
    lines = [",".join(header), *(",".join(str(cell) for cell in row) for row in rows)]
    return ("\n".join(lines) + "\n").encode()
