"""Is the winner's corrected score closer to the truth than the score itself, at every gap between the first two?

    python -m tests.claims.winner_gaps --runs 1000

prints the table of docs/theory/winner.md and, with ``--figure gaps.svg``, draws it. A board's mean losses are drawn
around true ones: one system leads, all others are equally far behind, by so many standard errors of their difference.
The covariance is that of real boards where they are at hand, and that of independent systems.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.inference.contrasts import compute_root
from ladderboard.inference.luck import estimate_luck
from tests.inference.real_boards import imagenet, semeval
from tests.shared_data import SHARED

GAPS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 6.0)
ITEMS = 1000
Correct = Callable[[FloatArray, FloatArray, np.random.Generator], float]


@dataclass(frozen=True)
class Errors:
    """Over many boards, in standard errors of the leader; a negative bias: the winner looks better than it is."""

    naive_bias: float
    bias: float
    naive_error: float
    error: float
    """Root mean square."""
    oracle_error: float
    """Of the score plus its mean luck at this gap, which nobody knows."""

    @property
    def ratio(self) -> float:
        return self.error / self.naive_error


def boards() -> Iterator[tuple[str, FloatArray]]:
    """The covariance of the mean losses, by name."""
    for systems in (2, 12, 50):
        yield f"{systems} independent", np.eye(systems) / ITEMS
    if (SHARED / "semeval2018_arct").exists():
        yield "SemEval 2018, 23", np.cov(semeval().losses.T) / ITEMS
    if (SHARED / "imagenetv2").exists():
        wrong = imagenet("v2_matched")[0].astype(np.float64)
        order = wrong.mean(axis=0).argsort()
        yield "ImageNet V2, all 67", np.cov(wrong[:, order].T) / ITEMS
        yield "ImageNet V2, first 12", np.cov(wrong[:, order[:12]].T) / ITEMS


def measure(
    covariance: FloatArray, gap: float, *, runs: int, seed: int = 1, correct: Correct = estimate_luck
) -> Errors:
    """Boards whose first system leads by ``gap`` standard errors of the difference to each other one."""
    rng, root = np.random.default_rng(seed), compute_root(covariance)
    variances = np.diag(covariance)
    true = gap * np.sqrt(variances[0] + variances - 2 * covariance[0])
    true[0] = 0.0
    naive, corrected = np.empty(runs), np.empty(runs)
    for run in range(runs):
        observed = true + root @ rng.standard_normal(len(root))
        winner = int(observed.argmin())
        naive[run] = observed[winner] - true[winner]
        corrected[run] = naive[run] + correct(observed, root, rng)
    unit = np.sqrt(variances[0])
    return Errors(
        naive_bias=float(naive.mean() / unit),
        bias=float(corrected.mean() / unit),
        naive_error=float(np.sqrt(np.square(naive).mean()) / unit),
        error=float(np.sqrt(np.square(corrected).mean()) / unit),
        oracle_error=float(naive.std() / unit),
    )


def curve(covariance: FloatArray, *, runs: int) -> list[Errors]:
    return [measure(covariance, gap, runs=runs) for gap in GAPS]


def draw(curves: dict[str, list[Errors]], path: Path) -> None:
    """The ratio of the errors over the gap, a line for each board."""
    from ladderboard.figures.canvas import MUTED, new_axes, save

    figure, axes = new_axes(7.0, 3.6)
    for place, (name, found) in enumerate(curves.items()):
        axes.plot(GAPS, [one.ratio for one in found], marker="o", markersize=3, color=f"C{place}", label=name)
    axes.axhline(1.0, color=MUTED, linewidth=0.8)
    axes.axhline(1.25, color=MUTED, linewidth=0.8, linestyle=":")
    axes.set_xlabel("gap between the first and all others, in standard errors of the difference")
    axes.set_ylabel("error, corrected / observed")
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    save(figure, path, title="Error of the winner's corrected score, in errors of the observed score")


@click.command()
@click.option("--runs", default=1000, show_default=True)
@click.option("--figure", type=click.Path(dir_okay=False, path_type=Path))
def main(*, runs: int, figure: Path | None) -> None:
    click.echo("| board | " + " | ".join(f"{gap:g}" for gap in GAPS) + " | bias at a tie | oracle at a tie |")
    curves = {}
    for name, covariance in boards():
        curves[name] = found = curve(covariance, runs=runs)
        cells = " | ".join(f"{one.ratio:.2f}" for one in found)
        tie = found[0]
        oracle = tie.oracle_error / tie.naive_error
        click.echo(f"| {name} | {cells} | {tie.naive_bias:+.2f} → {tie.bias:+.2f} | {oracle:.2f} |")
    if figure is not None:
        draw(curves, figure)


if __name__ == "__main__":
    main()
