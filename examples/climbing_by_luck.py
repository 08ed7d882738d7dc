"""An attack by luck alone on three boards, and a chart of what each one shows.

All labels are coin flips: whatever is submitted, its true error is one half. The attacker flips two items of the best
submission so far and keeps the change whenever the board says that it was better.

    python examples/climbing_by_luck.py --out climbing_by_luck.svg
"""

import argparse
from pathlib import Path

import numpy as np

import ladderboard as lb

BOARDS: dict[str, lb.Mechanism] = {
    "raw score": lb.FullDisclosure(),
    "parameter-free Ladder": lb.ParameterFreeLadder(),
    "Witness Ladder (default)": lb.WitnessLadder(),
}
COLOURS = dict(zip(BOARDS, ("#b3413a", "#c98a2b", "#1f6f5c"), strict=True))


def climb(mechanism: lb.Mechanism, *, items: int, submissions: int, seed: int) -> list[float]:
    """What the board shows after each submission of the attacker."""
    rng = np.random.default_rng(seed)
    board = lb.Leaderboard(rng.integers(0, 2, items), metric="error_rate", mechanism=mechanism, seed=seed)
    best, shown = rng.integers(0, 2, items), []
    for _ in range(submissions):
        trial = best.copy()
        trial[rng.integers(0, items, 2)] ^= 1
        release = board.submit("attacker", trial)
        best = trial if release.accepted else best
        shown.append(0.5 if release.board_value is None else release.board_value)
    return shown


def draw(shown: dict[str, list[float]], out: Path, *, items: int) -> None:
    """Save the picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 10, "svg.hashsalt": "ladderboard"})
    figure, axes = plt.subplots(figsize=(8, 4.2), layout="constrained")
    axes.axhline(0.5, color="#888", linewidth=1, linestyle=(0, (4, 3)))
    axes.text(0, 0.507, "true error of every submission", color="#666")
    for name, values in shown.items():
        # The first line is broad and pale, so that one that lies on it stays visible.
        is_first = name == next(iter(shown))
        axes.plot(values, color=COLOURS[name], linewidth=6 if is_first else 2, alpha=0.4 if is_first else 1)
    for name, height in _label_heights(shown).items():
        axes.annotate(
            name,
            xy=(1, height),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=COLOURS[name],
            annotation_clip=False,
        )
    axes.set(xlabel="submissions", ylabel="error on the board", ylim=(0, 0.54), xlim=(0, len(values) - 1))
    axes.set_title(f"One attacker, {items:,} coin-flip labels, three boards", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out, metadata={"Date": None} if out.suffix == ".svg" else None, dpi=150)


def _label_heights(shown: dict[str, list[float]], gap: float = 0.03) -> dict[str, float]:
    """Where each line's name stands: at its end, moved down until names do not overlap."""
    heights: dict[str, float] = {}
    for name in sorted(shown, key=lambda name: -shown[name][-1]):
        above = min(heights.values(), default=1.0)
        heights[name] = min(shown[name][-1], above - gap)
    return heights


def main() -> None:
    """Run the three climbs, print what the boards show, draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--submissions", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where the picture goes (.svg or .png)")
    given = parser.parse_args()
    size = {"items": given.items, "submissions": given.submissions, "seed": given.seed}
    shown = {name: climb(mechanism, **size) for name, mechanism in BOARDS.items()}
    for name, values in shown.items():
        print(f"{name:26} shows an error of {values[-1]:.3f}; the truth is 0.500")
    if given.out:
        draw(shown, given.out, items=given.items)


if __name__ == "__main__":
    main()
