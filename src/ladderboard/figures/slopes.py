"""Public and private ranks as slopes, one panel per mechanism."""

from pathlib import Path
from typing import TYPE_CHECKING

from ladderboard.figures.canvas import ACCENT, MUTED, SECOND, new_panels, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ladderboard.analysis.replay import Replay, ReplayedBoard

NAMED = 25
"""Teams whose names are written; of more, those with the best private ranks."""
COLUMNS = 3


def save_slopes(found: "Replay", path: Path) -> None:
    """Draw a line per team from its public to its private rank; the private top three are highlighted."""
    teams = max(len(board.teams) for board in found.boards.values())
    columns = min(COLUMNS, len(found.boards))
    rows = -(-len(found.boards) // columns)
    height = min(9.0, max(2.6, 0.9 + 0.16 * teams))
    figure, panels = new_panels(3.6 * columns, 0.5 + height * rows, panels=len(found.boards), columns=columns)
    for axes, board in zip(panels, found.boards.values(), strict=True):
        _draw(axes, board)
    panels[0].set_ylim(teams + 0.6, 0.4)
    title = f"Ranks on the public ({found.public_items} items) and the private part ({found.private_items} items)"
    figure.suptitle(title, fontsize=10, x=0.01, ha="left")
    save(figure, path, title=title)


def _draw(axes: "Axes", board: "ReplayedBoard") -> None:
    size = 7 if len(board.teams) <= NAMED else 6
    for row in board.teams:
        best = row.private_rank <= 3
        colour = (ACCENT if row.private_rank == 1 else SECOND) if best else MUTED
        axes.plot(
            [0, 1], [row.public_rank, row.private_rank], color=colour, linewidth=2 if best else 0.9, zorder=1 + best
        )
    _name_ends(axes, board, size)
    axes.set_xlim(-0.05, 1.05)
    axes.set_xticks([0, 1], ["public", "private"], fontsize=8)
    axes.set_yticks([])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0, labelbottom=True)
    axes.set_title(board.mechanism.replace("_", " "), fontsize=9)


def _name_ends(axes: "Axes", board: "ReplayedBoard", size: float) -> None:
    """Label the teams on the right, and the ranks on the left with the number of teams that share one."""
    shared: dict[int, int] = {}
    for row in board.teams:
        shared[row.public_rank] = shared.get(row.public_rank, 0) + 1
    for rank, count in shared.items():
        words = f"{rank}" if count == 1 else f"{count} teams share {rank}"
        axes.text(-0.04, rank, words, ha="right", va="center", fontsize=size)
    names: dict[int, list[str]] = {}
    for row in sorted(board.teams, key=lambda row: row.private_rank)[:NAMED]:
        names.setdefault(row.private_rank, []).append(row.team)
    for rank, teams in names.items():
        # Teams that share a rank leave the ranks below it free, one line for each.
        for line, team in enumerate(teams):
            axes.text(1.04, rank + line, f"{rank} {team[:18]}", ha="left", va="center", fontsize=size, parse_math=False)
