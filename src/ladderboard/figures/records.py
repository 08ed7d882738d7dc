"""Claimed and accepted records as staircases, one panel per ladder."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ladderboard.figures.canvas import ACCENT, MUTED, SECOND, new_panels, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ladderboard.analysis.records_audit import RecordsAudit
    from ladderboard.inference.measure import Measure

INK = "#20252b"


def save_records(audit: "RecordsAudit", path: Path, *, measure: "Measure") -> None:
    """Draw every entry, the record as claimed, the records that are real, and what each ladder would have shown."""
    boards = audit.boards or {"": ()}
    columns = min(2, len(boards))
    rows = -(-len(boards) // columns)
    figure, panels = new_panels(8.0, 1.2 + (3.2 if rows == 1 else 2.4 * rows), panels=len(boards), columns=columns)
    for axes, (name, board) in zip(panels, boards.items(), strict=True):
        _draw(axes, audit, measure)
        if name:
            _staircase(axes, _scores(board, measure), color=INK, linewidth=1.1, label="shown by the ladder")
            axes.set_title(name.replace("_", " "), fontsize=9, loc="left", parse_math=False)
    for axes in panels[-columns:]:
        axes.set_xlabel("entry, in order of time")
    for axes in panels[::columns]:
        axes.set_ylabel(f"{measure.name}{' (lower is better)' if measure.lower_is_better else ''}")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    title = f"{len(audit.claims)} records claimed, {len(audit.survivors)} significant (Holm, α = {audit.alpha:g})"
    figure.suptitle(title, fontsize=10, x=0.01, ha="left", parse_math=False)
    save(figure, path, title=title)


def _draw(axes: "Axes", audit: "RecordsAudit", measure: "Measure") -> None:
    entries = np.arange(1, len(audit.losses) + 1)
    axes.plot(entries, _scores(audit.losses, measure), ".", color=MUTED, markersize=4, label="entries")
    claimed = np.minimum.accumulate(np.array(audit.losses)).tolist()
    _staircase(axes, _scores(claimed, measure), color=SECOND, linewidth=4, alpha=0.55, label="record as claimed")
    _staircase(
        axes,
        _scores(_trace_survivors(audit), measure),
        color=ACCENT,
        linewidth=4,
        alpha=0.7,
        label="significant record",
    )
    axes.grid(axis="y", color=MUTED, alpha=0.25)


def _trace_survivors(audit: "RecordsAudit") -> list[float]:
    """Compute the loss of the latest real record after each entry; at first that of the first entry."""
    steps = {claim.position: claim.loss for claim in audit.survivors}
    losses, latest = [], audit.losses[0]
    for position in range(len(audit.losses)):
        latest = steps.get(position, latest)
        losses.append(latest)
    return losses


def _scores(losses: Sequence[float | None], measure: "Measure") -> list[float]:
    return [np.nan if loss is None else measure.score(loss) for loss in losses]


def _staircase(axes: "Axes", scores: Sequence[float], **style: Any) -> None:
    # One entry more, so that the last record has a tread as wide as the others.
    axes.step(np.arange(1, len(scores) + 2), [*scores, scores[-1]], where="post", **style)
