"""A competition of masks: bright discs in noisy pictures, and two submissions that look for them.

    python examples/competitions/masks/make_masks.py cells-files
    ladderboard new cells --solution cells-files/solution.csv

Then `ladderboard serve cells`; participants get cells-files/data, and weak.csv and better.csv are submissions.
"""

import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

PICTURES, SIDE = 300, 32
RAISED = 1.6
"""How much brighter a disc is, in standard deviations of the noise."""


def main(folder: Path) -> None:
    """Write the solution, what participants get, and two submissions."""
    rng = np.random.default_rng(0)
    masks = np.stack([draw_disc(rng) for _ in range(PICTURES)])
    pictures = rng.normal(size=masks.shape) + RAISED * masks
    names = [f"{number:03d}" for number in rng.permutation(PICTURES)]
    usage = rng.choice(["Public", "Private"], PICTURES)
    (folder / "data").mkdir(parents=True)
    np.savez_compressed(folder / "data" / "pictures.npz", **dict(zip(names, pictures.astype(np.float16), strict=True)))
    truth = [[name, encode(mask), SIDE, SIDE, use] for name, mask, use in zip(names, masks, usage, strict=True)]
    write(folder / "solution.csv", ["picture", "mask", "height", "width", "Usage"], truth)
    found = {"weak": pictures > 1.5, "better": smooth(pictures) > RAISED / 2}
    for name, guesses in found.items():
        answers = [[picture, encode(mask)] for picture, mask in zip(names, guesses, strict=True)]
        write(folder / f"{name}.csv", ["picture", "mask"], answers)


def draw_disc(rng: np.random.Generator) -> np.ndarray:
    """A disc somewhere in the picture; one picture in ten has none."""
    centre, radius = rng.uniform(6, SIDE - 6, 2), rng.uniform(3, 8) * (rng.random() < 0.9)
    down, across = np.mgrid[:SIDE, :SIDE]
    return np.asarray(np.hypot(down - centre[0], across - centre[1]) < radius)


def smooth(pictures: np.ndarray) -> np.ndarray:
    """The mean of the five by five pixels around each."""
    padded = np.pad(pictures, ((0, 0), (2, 2), (2, 2)))
    return np.asarray(np.mean([padded[:, a : a + SIDE, b : b + SIDE] for a in range(5) for b in range(5)], axis=0))


def encode(mask: np.ndarray) -> str:
    """Runs of pixels, which count from 1 and down the columns."""
    changes = np.diff(np.concatenate([[False], mask.T.ravel(), [False]]).astype(int))
    starts, ends = np.flatnonzero(changes == 1), np.flatnonzero(changes == -1)
    return " ".join(f"{start + 1} {end - start}" for start, end in zip(starts, ends, strict=True))


def write(path: Path, header: list[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
