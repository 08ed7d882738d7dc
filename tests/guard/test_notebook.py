"""What notebooks show: small tables that are escaped, well-formed, and say what the object says."""

from typing import Literal
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
    assert "No change: attempt 1, scored before" in read(holdout.score(with_errors(labels_of(), 120)))
    assert "–" in read(lb.Release(None, None, accepted=False, improved=False, attempt=1, interval=None))


def test_a_rejected_attempt_shows_no_number_as_its_own(holdout: lb.Holdout) -> None:
    worse = holdout.score(with_errors(labels_of(), 300))
    assert not worse.accepted
    text = read(worse)
    assert "No change: attempt 2" in text
    assert "score of this attempt not shown" in text
    assert "value" not in worse.to_metrics()
    assert worse.to_metrics()["board_value"] == worse.board_value
    better = holdout.score(with_errors(labels_of(), 30))
    again = holdout.score(with_errors(labels_of(), 300))
    assert again.is_repeat
    assert again.value != again.board_value == better.value
    assert "score of this attempt not shown" in read(again)
    assert "value" not in again.to_metrics()


def test_a_history_says_the_words_that_were_said(holdout: lb.Holdout) -> None:
    told = [holdout.score(with_errors(labels_of(), errors)) for errors in (300, 30)]
    words = [one.outcome_name for one in holdout.history()]
    assert words == ["improved", *(one.outcome_name for one in told)] == ["improved", "no_change", "improved"]
    assert [one.to_metrics().get("value") for one in holdout.history()[1:]] == [None, told[1].value]


@pytest.mark.parametrize("mechanism", [lb.FullDisclosure(), lb.Ladder(0.01)])
def test_what_is_not_proven_is_a_new_best_and_not_improved(mechanism: lb.Mechanism) -> None:
    holdout = lb.Holdout(labels_of(), path=":memory:", seed=1, mechanism=mechanism)
    first, better, worse = (holdout.score(with_errors(labels_of(), errors)) for errors in (120, 30, 200))
    assert [one.outcome_name for one in (first, better, worse)] == ["new_best", "new_best", "no_change"]
    assert "New best: attempt 2" in read(better)
    tie = holdout.score(with_errors(labels_of(), 30, seed=1))
    for told in (worse, tie, holdout.score(with_errors(labels_of(), 200)), *holdout.history()[2:]):
        own = told.value if mechanism.tells_own_number() else None
        assert told.to_metrics().get("value") == own
        assert f"score of this attempt {'not shown' if own is None else own} " in read(told)


@pytest.mark.parametrize("instances", ["team", "rank"])
def test_a_board_in_memory_says_the_same_words(instances: Literal["team", "rank"]) -> None:
    board = lb.Leaderboard(labels_of(), seed=1, instances=instances)
    told = [board.submit("us", with_errors(labels_of(), errors)) for errors in (120, 300, 30, 300)]
    assert [one.outcome_name for one in told] == ["improved", "no_change", "improved", "no_change"]
    assert [one.own_value for one in told] == [told[0].value, None, told[2].value, None]


def test_a_release_is_neither_true_nor_false(holdout: lb.Holdout) -> None:
    with pytest.raises(TypeError, match=r"ask release\.improved or release\.accepted"):
        assert holdout.score(with_errors(labels_of(), 60))


def test_a_holdout_shows_what_was_told_so_far(holdout: lb.Holdout) -> None:
    text = read(holdout)
    assert "Holdout of 600 items, guarded by witness_ladder" in text
    assert "1, 1 accepted" in text
    assert str(holdout.best) in text
    assert "gain usually proven next" in text
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
    assert "gain shown at attempt 1 (80 % power)" in text


def test_long_tables_are_cut_and_a_flat_line_can_be_drawn() -> None:
    html = make_table((number,) for number in range(MOST_ROWS + 3))
    assert html.count("<tr>") == MOST_ROWS
    assert "and 3 more" in html
    assert "nan" not in draw_steps([0.5, 0.5], "flat")
