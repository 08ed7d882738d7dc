"""`ladderboard demo`: an attacker climbs raw scoring and a published mechanism by luck, and not the guard."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.text import Text

    from ladderboard.cli.chart import Line
    from ladderboard.cli.demo_boards import Climb

BOARDS = {
    "raw scoring": "full_disclosure",
    "parameter-free Ladder": "parameter_free_ladder",
    "Ladderboard's guard": "witness_ladder",
}
HONEST = "Ladderboard's guard, an honest team"
NEXT = (
    "Next: guard a holdout of your own, `ladderboard holdout init --help`, or in Python `ladderboard.Holdout(labels)`."
)
PANEL_HEIGHT = 9
WIDE = 80
WIDEST_PANEL = 70
FRAMES = 60
"""How often a panel is redrawn while its board is under attack."""


@click.command()
@click.option("--submissions", default=3000, show_default=True, type=click.IntRange(min=100), help="Of the attacker.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0), help="Same seed, same run.")
def demo(*, submissions: int, seed: int) -> None:
    r"""An attacker against three boards, then an honest team, in this terminal.

    The labels are coin flips, so every submission's true error rate is one half; what a board shows below that is luck.

    \b
    Example:
      ladderboard demo
      ladderboard demo --submissions 10000 --seed 7
    """
    from rich.console import Console
    from rich.live import Live

    from ladderboard.cli.demo_boards import HONEST_SUBMISSIONS, ITEMS, Climb

    console = Console(highlight=False)
    console.print(
        f"The labels of {ITEMS:,} items are coin flips. An attacker who knows nothing submits {submissions:,} times: "
        "two answers changed at a time, kept where the board says better. The truth stays at 0.500.\n"
    )
    climbs = [*(Climb(name, submissions) for name in BOARDS), Climb(HONEST, HONEST_SUBMISSIONS)]
    with Live(_panels(climbs, console), console=console, auto_refresh=False) as live:
        for _ in _play(climbs, seed):
            if console.is_terminal:
                live.update(_panels(climbs, console), refresh=True)
        live.update(_panels(climbs, console), refresh=True)
    console.print("", _conclusion(climbs, submissions), NEXT, sep="\n")


def _play(climbs: Sequence["Climb"], seed: int) -> Iterator[None]:
    """Run it all; one step of the iterator is one picture."""
    from ladderboard.cli.demo_boards import attack, climb_honestly

    *attacked, honest = climbs
    for climb, mechanism in zip(attacked, BOARDS.values(), strict=True):
        each = max(1, climb.length // FRAMES)
        for number, _ in enumerate(attack(climb, mechanism=mechanism, seed=seed)):
            if number % each == 0:
                yield
    yield from climb_honestly(honest, mechanism="witness_ladder", seed=seed)


def _panels(climbs: Sequence["Climb"], console: "Console") -> "Group":
    """All charts, two beside each other where there is room, their legend, and how far the demo is."""
    from rich.columns import Columns
    from rich.console import Group
    from rich.progress_bar import ProgressBar

    from ladderboard.cli.chart import legend

    beside = 2 if console.width >= WIDE else 1
    width = min(console.width // beside - 2, WIDEST_PANEL)
    done, total = sum(len(climb.reported) for climb in climbs), sum(climb.length for climb in climbs)
    charts = Columns([_panel(climb, width) for climb in climbs], width=width, padding=(0, 1))
    bar = ProgressBar(total=total, completed=done, width=beside * width)
    return Group(charts, legend(_lines(climbs[-1])), *([bar] if done < total else []))


def _panel(climb: "Climb", width: int) -> "Text":
    from rich.text import Text

    from ladderboard.cli.chart import Frame, draw

    frame = Frame(width, PANEL_HEIGHT, low=0.0, high=0.6, length=climb.length)
    title = Text(climb.name, style="bold", no_wrap=True)
    return Text("\n").join([title, *draw(_lines(climb), frame), Text(_caption(climb))])


def _caption(climb: "Climb") -> str:
    if not climb.reported:
        return ""
    return f"  {len(climb.reported):,} tries: {climb.reported[-1]:.3f} shown, {climb.true[-1]:.3f} true"


def _lines(climb: "Climb") -> list["Line"]:
    from ladderboard.cli.chart import Line

    return [
        Line("error rate the board shows", climb.reported, "cyan"),
        Line("true error rate", climb.true, "yellow", dotted=True),
    ]


def _conclusion(climbs: Sequence["Climb"], submissions: int) -> str:
    """The demo in one sentence, with the numbers of this run."""
    raw, free, guarded, honest = climbs
    return (
        f"After {submissions:,} submissions without any knowledge, {raw.name} shows an error rate of "
        f"{raw.reported[-1]:.3f} and the {free.name} {free.reported[-1]:.3f} where the truth is {raw.true[-1]:.3f}; "
        f"{guarded.name} shows {guarded.reported[-1]:.3f}, and it follows the honest team's real progress to "
        f"{honest.true[-1]:.3f} with a mean error of {honest.mean_error:.3f}."
    )
