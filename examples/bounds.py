"""What is proven for a holdout that is asked k times, and what an attack gains: one picture.

The left panel has bounds with their constants (95 %, items whose losses lie in [0, 1]), the right one the orders that
the papers state without theirs, for a domain of 2^100 possible items where one is named.

    python examples/bounds.py --items 10000 --out bounds.svg
"""

import argparse
import math
from collections.abc import Callable
from pathlib import Path

import ladderboard as lb

Bound = Callable[[int, int], float]

PROVEN: dict[str, Bound] = {
    "every score, five decimals": lambda n, k: lb.bounds.transcripts_epsilon(n=n, k=k, values=100_001),
    "every score, with noise": lambda n, k: lb.bounds.noisy_error(n=n, k=k),
    "the Ladder": lambda n, k: lb.bounds.ladder_error(step=lb.bounds.best_step(n=n, k=k), n=n, k=k),
    "fixed in advance": lambda n, k: lb.bounds.hoeffding_epsilon(n=n, k=k),
}
GAINED: dict[str, Bound] = {
    "gained: 2 classes": lambda n, k: lb.bounds.multiclass_overfit(n=n, k=k, classes=2),
    "gained: 100 classes": lambda n, k: lb.bounds.multiclass_overfit(n=n, k=k, classes=100),
}
ORDERS: dict[str, Bound] = {
    "(log |X|·log k/n)^¼ …": lambda n, k: lb.bounds.private_rate(n=n, k=k, log_domain=100 * math.log(2)),
    "k^⅕·log(k)^⅗/n^⅖": lambda n, k: lb.bounds.efficient_rate(n=n, k=k),
    "(log(kn)/n)^⅓, the Ladder": lambda n, k: lb.bounds.ladder_rate(n=n, k=k),
    "√r·log(k)/n, r = 2 rounds": lambda n, k: lb.bounds.rounds_rate(n=n, k=k, rounds=2),
    "√(log k/n), Theorem 3.3": lambda n, k: lb.bounds.lower_bound_rate(n=n, k=k),
}
COLOURS = ("#b3413a", "#c98a2b", "#1f6f5c", "#34618e", "#6b5b95")


def draw(out: Path, *, items: int, asked: list[int]) -> None:
    """Save the picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 9, "svg.hashsalt": "ladderboard"})
    figure, panels = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
    for axes, title, solid, dashed in zip(
        panels, ("proven, and gained", "orders, without constants"), (PROVEN, ORDERS), (GAINED, {}), strict=True
    ):
        for style, lines in (("-", solid), ("--", dashed)):
            for colour, (name, bound) in zip(COLOURS, lines.items(), strict=False):
                axes.plot(asked, [bound(items, k) for k in asked], style, color=colour, label=name)
        axes.set(xscale="log", yscale="log", ylim=(1e-3, 1), xlabel="submissions")
        axes.set_title(title, loc="left")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8)
    panels[0].set_ylabel(f"error, {items:,} items")
    figure.savefig(out, metadata={"Date": None} if out.suffix == ".svg" else None, dpi=150)


def main() -> None:
    """Print the bounds at some k, draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--out", type=Path, help="where the picture goes (.svg or .png)")
    given = parser.parse_args()
    print(f"{'submissions':28}{10:>8,}{1000:>8,}{100_000:>8,}")
    for name, bound in (PROVEN | GAINED).items():
        values = (min(1.0, bound(given.items, k)) for k in (10, 1000, 100_000))
        print(f"{name:28}" + "".join(f"{value:8.3f}" for value in values))
    if given.out:
        draw(given.out, items=given.items, asked=[round(10 ** (power / 4)) for power in range(2, 25)])


if __name__ == "__main__":
    main()
