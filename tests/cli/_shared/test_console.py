"""The progress bar that long work of the core is given."""

import io

from rich.console import Console

from ladderboard.cli._shared.console import show_progress


def test_a_bar_shows_how_far_the_work_is() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)
    with show_progress("Scoring items", console=console) as progress:
        for done in range(1, 6):
            progress(done, 5)
    assert "Scoring items" in screen.getvalue()
    assert "100%" in screen.getvalue()


def test_work_in_parts_starts_the_bar_anew() -> None:
    screen = io.StringIO()
    with show_progress("Scoring", console=Console(file=screen, force_terminal=True, width=80)) as progress:
        progress(5, 5)
        progress(1, 4)
    assert "25%" in screen.getvalue()


def test_nothing_is_drawn_where_there_is_no_terminal() -> None:
    screen = io.StringIO()
    with show_progress("Scoring items", console=Console(file=screen)) as progress:
        progress(1, 2)
    assert screen.getvalue() == ""
