"""`ladderboard winner`: the winner's score, corrected for selection."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli._shared.matrix_options import (
    add_matrix_argument,
    read_matrix,
    reading_to_json,
    show_reading,
)
from ladderboard.figures.winner import save_winner
from ladderboard.inference.winner import WinnerEstimate, winner_estimate

if TYPE_CHECKING:
    from ladderboard.inference.measure import Measure

ROUGH = (
    "Caution: a few large losses dominate. The interval is too short, and the true best system may be another one. Use "
    "more items, or a loss with shorter tails."
)


@click.command()
@add_matrix_argument
@click.option("--confidence", default=0.95, show_default=True, help="The confidence of the interval.")
@click.option("--replicates", default=20_000, show_default=True, help="Replicates of the simulated critical value.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The same seed gives the same numbers."
)
@click.option("--json", "as_json", is_flag=True, help="Print the estimate as JSON.")
@click.option(
    "--figure", type=click.Path(dir_okay=False, path_type=Path), help="Draw both intervals (.svg, .png, .pdf)."
)
def winner(
    *,
    confidence: float,
    replicates: int,
    seed: int,
    as_json: bool,
    figure: Path | None,
    **matrix_options: Any,
) -> None:
    r"""Estimate the winner's true score, corrected for its selection as the best, from MATRIX, a table or a folder.

    \b
    Example:
      ladderboard winner losses.csv --kind losses
      ladderboard winner inspect-logs/
      ladderboard winner predictions.csv --kind predictions --labels-column label --json
    """
    losses = read_matrix(**matrix_options)
    estimate = winner_estimate(losses, confidence, replicates=replicates, seed=seed)
    if figure is not None:
        save_winner(estimate, figure, measure=losses.measure)
    if as_json:
        click.echo(json.dumps({**_to_json(estimate, losses.measure), **reading_to_json(losses)}))
    else:
        show_reading(losses)
        click.echo(describe_winner(estimate, losses.measure, systems=len(losses.systems)))


def describe_winner(estimate: WinnerEstimate, measure: "Measure", *, systems: int) -> str:
    """Describe the winner in plain words: first where its true score lies, then the best guess and its luck."""
    low, high = sorted(measure.score(end) for end in estimate.interval)
    observed, corrected = (measure.format_score(measure.score(loss)) for loss in (estimate.naive, estimate.value))
    rough = "" if not estimate.is_rough else f" {ROUGH}"
    return (
        f"{estimate.system} won with {measure.name} {observed}{estimate.describe_level()}. Corrected for being the "
        f"best of {systems}, its true {measure.name} lies between {measure.format_score(low)} and "
        f"{measure.format_score(high)} with {100 * estimate.confidence:g} % confidence. Best guess: "
        f"{corrected}, so luck: {measure.format_amount(estimate.luck)}.{rough}"
    )


def _to_json(estimate: WinnerEstimate, measure: "Measure") -> dict[str, Any]:
    """Convert an estimate to JSON in the measure's own direction; positive ``luck``: looked better than it is."""
    scores = {name: measure.score(getattr(estimate, name)) for name in ("naive", "value")}
    intervals = {
        name: sorted(measure.score(end) for end in getattr(estimate, name)) for name in ("naive_interval", "interval")
    }
    return {**asdict(estimate), **scores, **intervals, "luck": estimate.luck, "measure": measure.name}
