"""Charts: what is drawn is what was told, and it is said in words too."""

import re
import runpy
from datetime import UTC, datetime, timedelta
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ladderboard as lb
from ladderboard.core.score_format import ScoreFormat
from ladderboard.drawing.scale import ticks
from ladderboard.server import charts
from ladderboard.server.charts import luck
from tests.web.pages.tree import Node, tree_of

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
SCORES = ScoreFormat(decimals=2)


def svg(markup: Any) -> Node:
    """The one drawing, with words for those who do not see it and nothing the policy would refuse."""
    page = tree_of(str(markup))
    drawing = page.one("svg")
    assert drawing.attributes.get("role") == "img" or drawing.attributes.get("aria-hidden") == "true"
    assert all("style" not in node.attributes for node in page.walk())
    assert "nan" not in str(markup).lower()
    return drawing


def words(drawing: Node) -> str:
    return f"{drawing.one('title').text} {drawing.one('desc').text}"


def test_a_whisker_spans_the_plausible_ranks_on_the_shared_axis() -> None:
    axis = charts.RankAxis.over([(1, 3), (2, 21)])
    drawing = svg(charts.rank_whisker(1, 11, rank=6, axis=axis))
    assert drawing.attributes["aria-label"] == "ranks 1 to 11"
    left, right = re.findall(r"M([\d.]+) 10H([\d.]+)", drawing.one("path", class_="ch-whisker").attributes["d"])[0]
    dot = float(drawing.one("circle").attributes["cx"])
    assert float(left) == axis.place(1)
    assert float(right) == axis.place(11)
    assert dot == pytest.approx((float(left) + float(right)) / 2)


def test_a_range_of_one_rank_is_still_a_mark() -> None:
    drawing = svg(charts.rank_whisker(4, 4, rank=4, axis=charts.RankAxis(1, 10_000)))
    assert drawing.attributes["aria-label"] == "rank 4"
    left, right = re.findall(r"M([\d.]+) 10H([\d.]+)", str(drawing.one("path", class_="ch-whisker").attributes["d"]))[0]
    assert float(right) - float(left) >= 3


@pytest.mark.parametrize(
    ("best", "worst"), [(1, 1), (1, 2), (1, 9), (37, 120), (1, 249), (1, 10_000), (993, 1_000), (9_951, 10_000)]
)
def test_the_ticks_of_an_axis_do_not_touch(best: int, worst: int) -> None:
    axis = charts.RankAxis(best, worst)
    places = [axis.place(rank) for rank in axis.ticks()]
    assert places == sorted(places)
    assert 1 <= len(places) <= 8
    # Where each label begins and ends: those at the ends lie inward of them.
    widths = [6.5 * len(f"{rank:,}") for rank in axis.ticks()]
    starts = [place - width / 2 for place, width in zip(places, widths, strict=True)]
    starts[0], starts[-1] = places[0], places[-1] - widths[-1]
    if len(places) > 1:
        assert all(starts[i] + widths[i] < starts[i + 1] for i in range(len(places) - 1))
    svg(charts.rank_axis(axis))


def test_a_sparkline_rises_when_the_score_gets_better_whatever_the_metric() -> None:
    def ends(markup: Any) -> tuple[float, float]:
        path = svg(markup).one("path").attributes["d"]
        first = float(path.split()[1].split("H")[0])
        return first, float(path.split("V")[-1].split("H")[0])

    for drawn in (
        charts.sparkline([0.3, 0.2, 0.1], SCORES, lower_is_better=True),
        charts.sparkline([0.7, 0.8, 0.9], SCORES, lower_is_better=False),
    ):
        start, end = ends(drawn)
        assert end < start
    assert (
        svg(charts.sparkline([0.3], SCORES, lower_is_better=True)).attributes["aria-label"] == "one score shown, 0.30"
    )


def test_a_staircase_draws_rejected_attempts_at_its_foot_unless_they_have_a_score_of_their_own() -> None:
    told = [
        charts.Step(1, 0.30, 0.30, accepted=True, improved=True),
        charts.Step(2, None, 0.30, accepted=False, improved=False),
        charts.Step(3, 0.20, 0.20, accepted=True, improved=False),
        charts.Step(4, 0.30, 0.20, accepted=False, improved=False),
    ]
    drawing = svg(charts.staircase(told, SCORES, metric="error rate", lower_is_better=True, baseline=0.5))
    steps = drawing.all("circle", class_="ch-step")
    (cross,) = drawing.all("path", class_="ch-reject")
    foot, own = (float(y) + 3.5 for y in re.findall(r"M[\d.]+ ([\d.]+)l7 7", cross.attributes["d"]))
    assert own == pytest.approx(float(steps[0].attributes["cy"]), abs=0.11)
    baseline = drawing.one("path", class_="ch-baseline").attributes["d"]
    assert foot > float(re.findall(r" ([\d.]+)H", baseline)[0])
    assert float(steps[1].attributes["cy"]) < float(steps[0].attributes["cy"])
    assert "ch-open" in steps[1].attributes["class"]
    assert words(drawing).endswith("2 recognised, 2 not. Steps: attempt 1: 0.30; attempt 3: 0.20.")


def test_a_staircase_ends_where_the_attempts_end() -> None:
    told = [charts.Step(i, 0.3, 0.3, accepted=i == 1, improved=True) for i in (1, 2)]
    drawing = svg(charts.staircase(told, SCORES, metric="auc", lower_is_better=False))
    (line,) = drawing.all("path", class_="ch-stairs")
    shown = {node.text: float(node.attributes["x"]) for node in drawing.all("text", class_="ch-tick")}
    assert shown["2"] < float(line.attributes["d"].rsplit("H")[-1]) < shown["3"]


def test_a_staircase_without_any_number_is_empty_of_steps() -> None:
    silent = [charts.Step(1, None, None, False, False)]
    drawing = svg(charts.staircase(silent, SCORES, metric="auc", lower_is_better=False))
    assert not drawing.all("circle")
    assert charts.staircase([], SCORES, metric="auc", lower_is_better=False) == ""


def test_ten_thousand_attempts_are_drawn_in_little_space() -> None:
    told = [charts.Step(i, 0.3, 0.3, i % 1000 == 1, False) for i in range(1, 10_001)]
    drawn = charts.staircase(told, SCORES, metric="auc", lower_is_better=True)
    assert len(drawn) < 20_000
    assert len(svg(drawn).all("circle")) == 10


def test_hours_show_the_busiest_one() -> None:
    bars = [charts.HourBar(NOON + timedelta(hours=i), scored=9 if i == 5 else 1, accepted=1) for i in range(48)]
    drawing = svg(charts.submissions_per_hour(bars))
    assert words(drawing).endswith("56 in all; the most in one hour was 9, at 1 Mar 17:00.")
    assert len(drawing.all("rect")) == 96


def test_hours_name_each_day_once_and_apart() -> None:
    bars = [charts.HourBar(NOON + timedelta(hours=i), scored=1, accepted=0) for i in range(168)]
    drawing = svg(charts.submissions_per_hour(bars))
    named = [node for node in drawing.all("text", class_="ch-tick") if "Mar" in node.text]
    assert [node.text for node in named] == [f"{day} Mar" for day in range(1, 9)]
    places = [float(node.attributes["x"]) for node in named]
    assert min(b - a for a, b in pairwise(places)) > 40
    # On a phone letters are twice as large in the drawing: then every other name is left out.
    assert ["ch-odd" in node.attributes["class"] for node in named] == [False, True] * 4


@pytest.mark.parametrize(("bits", "level"), [(10.0, ""), (80.0, "ch-warm"), (100.0, "ch-spent"), (250.0, "ch-spent")])
def test_the_meter_warms_up_and_never_overflows(bits: float, level: str) -> None:
    drawing = svg(charts.leakage_meter(bits, limit=100, overfit_bound=0.03))
    trough, fill = drawing.all("rect")
    assert float(fill.attributes["width"]) <= float(trough.attributes["width"])
    assert fill.attributes["class"] == f"ch-fill {level}".strip()
    assert "further than 0.030 from its true score" in words(drawing)


def test_a_meter_of_nothing_is_empty() -> None:
    assert not svg(charts.leakage_meter(0.0)).all("rect", class_="ch-fill")
    assert "12 bits released" in svg(charts.leakage_meter(12.0)).one("title").text


def test_the_shake_up_says_who_moved_most() -> None:
    shifts = [charts.Shift("a < b", 1, 3), charts.Shift("two", 2, 1), charts.Shift("three", 3, 2)]
    drawing = svg(charts.shake_up(shifts))
    assert "The largest move: a < b, from 1 to 3." in unescape(words(drawing))
    assert [len(drawing.all("path", class_=kind)) for kind in ("ch-rise", "ch-fall", "ch-level")] == [2, 1, 0]


def test_lines_of_the_shake_up_rise_fall_and_stay_as_the_ranks_do() -> None:
    """Ranks with ties: 1, 1, 3 on one side and 1, 2, 2 on the other."""
    shifts = [charts.Shift("a", 1, 2), charts.Shift("b", 1, 1), charts.Shift("c", 3, 2), charts.Shift("d", 4, 4)]
    for path in svg(charts.shake_up(shifts)).all("path"):
        start, end = (float(number.split()[1]) for number in path.attributes["d"][1:].split("L"))
        kind = path.attributes["class"].split()[1]
        assert kind == ("ch-level" if start == end else "ch-rise" if end < start else "ch-fall")
    classes = [path.attributes["class"].split()[1] for path in svg(charts.shake_up(shifts)).all("path")]
    assert sorted(classes) == ["ch-fall", "ch-level", "ch-level", "ch-rise"]


def test_names_on_the_shake_up_stay_in_the_picture_and_away_from_their_ranks() -> None:
    names = ["W" * 40, "漢字" * 20, "ii" * 10, "فريق"]
    drawing = svg(charts.shake_up([charts.Shift(name, i, i) for i, name in enumerate(names, 1)]))
    shown = [node.text for node in drawing.all("text", class_="ch-name")]
    assert shown[:4] == ["1", "W" * 13 + "…", "1", "W" * 13 + "…"]
    assert "漢字" * 6 + "漢…" in shown
    assert {"ii" * 10, "فريق"} <= set(shown)


def test_on_a_phone_the_shake_up_names_each_team_once() -> None:
    drawing = svg(charts.shake_up([charts.Shift("W" * 40, 1, 2), charts.Shift("two", 2, 1)], sheet=charts.NARROW))
    assert [node.text for node in drawing.all("text", class_="ch-name")] == ["2", "1", "two", "1", "2", "W" * 10 + "…"]


def test_a_timeline_needs_two_moments_and_marks_what_has_passed() -> None:
    moments = [charts.Moment("opens", NOON), charts.Moment("deadline", NOON + timedelta(days=4))]
    drawing = svg(charts.timeline(moments, now=NOON + timedelta(days=1)))
    assert drawing.one("title").text == "25% of the time has passed"
    assert [len(drawing.all("path", class_=kind)) for kind in ("ch-passed", "ch-coming")] == [1, 1]
    assert charts.timeline(moments[:1], now=NOON) == ""


def test_the_picture_of_the_home_page_shows_what_the_boards_really_do() -> None:
    example = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "climbing_by_luck.py"))
    for board, shown in ((lb.FullDisclosure(), luck.TELLS_ALL), (lb.WitnessLadder(), luck.LADDER)):
        errors = example["climb"](board, items=1000, submissions=2000, seed=1)
        accuracy = [round(1 - error, 3) for error in (*errors[:: luck.EVERY], errors[-1])]
        assert accuracy == list(shown)


def test_names_on_charts_cannot_break_out() -> None:
    evil = '"><script>alert(1)</script>'
    assert "<script" not in charts.shake_up([charts.Shift(evil, 1, 1), charts.Shift("b", 2, 2)])
    told = [charts.Step(1, 0.5, 0.5, True, True)]
    assert "<script" not in charts.staircase(told, SCORES, metric=evil, lower_is_better=True)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.62, 0.91), (-3.0, 1e6), (1e-9, 2e-9), (5.0, 5.0)])
def test_ticks_are_round_few_and_within(low: float, high: float) -> None:
    found = ticks(low, high)
    assert 1 <= len(found) <= 6
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in found)
