"""Rank ranges of the ImageNet board, compared with fresh images.

67 published models were compared for years on the same 50,000 validation images. Recht et al. 2019 collected new images
in the same way (ImageNetV2). This script gives every model of the old board the range of ranks it may truly have,
corrects the winner's accuracy for having been chosen, and compares both with the fresh images.

    python examples/imagenet_ranks.py DATA --out imagenet_ranks.svg

DATA is a folder with imagenet_val_50k_top1.npz (models, label, pred) and imagenetv2_3x10k_top1.npz (models and, for
each fresh set, NAME_label and NAME_pred).
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import ladderboard as lb
from ladderboard.figures.ranks import Column, save_two_boards

FRESH = ("v2_matched", "v2_threshold07", "v2_top")

Array = npt.NDArray[Any]


def read_boards(data: Path) -> tuple[list[str], dict[str, Array]]:
    """The models' names, and for each test set the failures: images × models."""
    old = np.load(data / "imagenet_val_50k_top1.npz")
    new = np.load(data / "imagenetv2_3x10k_top1.npz")
    boards = {"val": old["pred"] != old["label"][:, None]}
    boards |= {name: new[f"{name}_pred"] != new[f"{name}_label"][:, None] for name in FRESH}
    return [str(model) for model in old["models"]], boards


def order_of(wrong: Array) -> Array:
    """For each pair of models: 1 where the first is certainly better, −1 where the second is, 0 where nobody knows."""
    compared = lb.compare_systems(wrong)
    return np.array([0 if one.adjusted > 0.05 else (1 if one.difference < 0 else -1) for one in compared])


def show_winner(models: list[str], boards: dict[str, Array]) -> None:
    """The best model of each set before and after the correction, and how the old one does on fresh images."""
    print("The winner on each test set (accuracy in %):")
    for name, wrong in boards.items():
        winner = lb.winner_estimate(wrong)
        low, high = (100 * (1 - end) for end in reversed(winner.interval))
        print(
            f"  {name:15} {models[winner.column]:17} observed {100 * (1 - winner.naive):.2f}, "
            f"corrected {100 * (1 - winner.value):.2f} ({low:.2f} to {high:.2f})"
        )
    champion = lb.winner_estimate(boards["val"]).column
    fresh = ", ".join(f"{name} {100 * (1 - boards[name][:, champion].mean()):.2f}" for name in FRESH)
    print(f"  the old winner {models[champion]} on the fresh sets: {fresh}")


def show_ranges(models: list[str], ranges: dict[str, list[lb.RankRange]]) -> None:
    """How wide the ranges are, and whether those of the old board still hold."""
    print("Rank ranges (95 %, all models at once):")
    old = ranges["val"]
    for name, found in ranges.items():
        width = np.mean([one.worst - one.best + 1 for one in found])
        alone = sum(one.best == one.worst for one in found)
        groups = max(one.group for one in found)
        first = ", ".join(sorted(models[j] for j, one in enumerate(found) if one.could_be_first))
        print(
            f"  {name:15} {width:4.1f} ranks on average, {alone} models with one rank, {groups} groups; first: {first}"
        )
        if name != "val":
            held = sum(a.best <= b.worst and b.best <= a.worst for a, b in zip(old, found, strict=True))
            print(f"  {'':15} {held} of {len(old)} ranges overlap those of the old board")


def show_claims(boards: dict[str, Array]) -> None:
    """What the fresh images say about every decided pair of the old board."""
    print('Claims "A is better than B" (exact McNemar, Holm over all pairs, 5 %):')
    old = order_of(boards["val"])
    print(f"  val: {np.count_nonzero(old)} of {len(old)} pairs are decided")
    for name in FRESH:
        new = order_of(boards[name])
        claimed = new[old != 0] * old[old != 0]
        confirmed, open_, reversed_ = (int((claimed == sign).sum()) for sign in (1, 0, -1))
        print(f"  {name:15} confirms {confirmed}, leaves {open_} open, reverses {reversed_}")


def main() -> None:
    """Print the three tables, and draw the ranges."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, help="where to draw the ranges on the old and the fresh images")
    arguments = parser.parse_args()
    models, boards = read_boards(arguments.data)
    ranges = {name: lb.rank_ranges(_named(wrong, models)) for name, wrong in boards.items()}
    show_winner(models, boards)
    show_ranges(models, ranges)
    show_claims(boards)
    if arguments.out is not None:
        title = "Rank ranges of 67 ImageNet models, 95 % for all at once"
        old, new = (
            Column("50,000 validation images", ranges["val"]),
            Column("10,000 fresh images", ranges["v2_matched"]),
        )
        save_two_boards(old, new, arguments.out, title=title)


def _named(wrong: Array, models: list[str]) -> Any:
    from ladderboard.evals import LossMatrix

    return LossMatrix.of(wrong, systems=models)


if __name__ == "__main__":
    main()
