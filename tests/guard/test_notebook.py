"""What notebooks show: small tables that are escaped, well-formed, and say what the object says."""

from xml.etree import ElementTree

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.core.notebook import MOST_ROWS, draw_steps, make_table
from tests.guard.guards import labels_of, with_errors

EVIL = '<script>alert("x")</script>'


def read(shown: object) -> str:
    """The text of what a notebook would show; fails where the markup is not well-formed or could run a script."""
    html = shown._repr_html_()  # type: ignore[attr-defined]
    assert "<script" not in html
    return " ".join(ElementTree.fromstring(html.replace("<br>", "<br/>")).itertext())


@pytest.fixture
def holdout() -> lb.Holdout:
    holdout = lb.Holdout(labels_of(), path=":memory:", seed=1)
    holdout.score(with_errors(labels_of(), 120))
    return holdout


def test_a_release_says_its_word_its_score_and_its_interval(holdout: lb.Holdout) -> None:
    better = holdout.score(with_errors(labels_of(), 30))
    text = read(better)
    assert "Improved: attempt 2" in text
    assert str(better.value) in text
    assert better.interval is not None
    assert f"{better.interval[0]:g} to {better.interval[1]:g}" in text
    assert "Not improved: attempt 1, scored before" in read(holdout.score(with_errors(labels_of(), 120)))
    assert "–" in read(lb.Release(None, None, accepted=False, improved=False, attempt=1, interval=None))


def test_a_holdout_shows_what_was_told_so_far(holdout: lb.Holdout) -> None:
    text = read(holdout)
    assert "Holdout of 600 items, guarded by witness_ladder" in text
    assert "1, 1 accepted" in text
    assert str(holdout.best) in text
    assert "gain it would recognise next" in text
    assert "error_rate on the board" in read(lb.Holdout(labels_of(), path=":memory:"))


def test_standings_are_a_list_with_a_table_and_names_are_escaped() -> None:
    board = lb.Leaderboard(labels_of(), metric="accuracy", seed=1)
    board.submit(EVIL, with_errors(labels_of(), 60))
    board.submit("theirs", with_errors(labels_of(), 200))
    standings = board.standings()
    assert isinstance(standings, list)
    assert standings == list(standings)
    assert EVIL in read(standings)


def test_rank_ranges_stay_a_list_and_show_their_bars() -> None:
    wrong = np.random.default_rng(1).random((400, 4)) < [0.60, 0.28, 0.31, 0.10]
    ranges = lb.rank_ranges(lb.LossMatrix.of(wrong, systems=[EVIL, "b", "c", "d"]))
    assert isinstance(ranges, list)
    assert [one.system for one in ranges] == [EVIL, "b", "c", "d"]  # in the order of the columns
    text = read(ranges)
    assert text.index("d") < text.index(EVIL)  # best first
    assert "2–3" in text
    assert ranges._repr_html_().count("<svg") == 4  # type: ignore[attr-defined]


def test_a_plan_shows_its_sentence_and_the_gains_it_recognises() -> None:
    plan = lb.plan_submissions(labels_of(2000))
    text = read(plan)
    assert plan.sentence() in text
    assert "gain recognised at attempt 1 (80 % power)" in text


def test_long_tables_are_cut_and_a_flat_line_can_be_drawn() -> None:
    html = make_table((number,) for number in range(MOST_ROWS + 3))
    assert html.count("<tr>") == MOST_ROWS
    assert "and 3 more" in html
    assert "nan" not in draw_steps([0.5, 0.5], "flat")
