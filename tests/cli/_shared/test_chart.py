import pytest

from ladderboard.cli._shared.chart import GUTTER, ChartFrame, ChartLine, draw_chart, draw_legend


def picture(*lines: ChartLine, **changes: float) -> list[str]:
    frame = {"width": GUTTER + 4, "height": 2, "low": 0.0, "high": 1.0, "length": 8, **changes}
    return [row.plain for row in draw_chart(lines, ChartFrame(**frame))]  # type: ignore[arg-type]


def test_a_level_line_is_a_row_of_dots_at_its_height() -> None:
    assert [row[GUTTER:] for row in picture(ChartLine("top", [1.0] * 8))] == ["⠉⠉⠉⠉", "    "]
    assert [row[GUTTER:] for row in picture(ChartLine("bottom", [0.0] * 8))] == ["    ", "⣀⣀⣀⣀"]


def test_a_step_is_joined_by_a_stroke() -> None:
    assert [row[GUTTER:] for row in picture(ChartLine("step", [1.0] * 4 + [0.0] * 4))] == ["⠉⠉⡇ ", "  ⣇⣀"]


def test_a_line_with_half_of_the_values_ends_half_way() -> None:
    assert [row[GUTTER:] for row in picture(ChartLine("short", [1.0] * 4))] == ["⠉⠉  ", "    "]


def test_a_dotted_line_has_gaps_and_lies_under_the_solid_one() -> None:
    assert [row[GUTTER:] for row in picture(ChartLine("dots", [1.0] * 8, dotted=True))] == ["⠁⠈ ⠁", "    "]
    rows = draw_chart(
        [ChartLine("solid", [1.0] * 8, "cyan"), ChartLine("dots", [1.0] * 8, "red", dotted=True)],
        ChartFrame(11, 2, 0, 1, 8),
    )
    assert {span.style for span in rows[0].spans} == {"cyan"}


def test_the_axis_names_the_ends_and_the_middle() -> None:
    labels = [row[:GUTTER] for row in picture(ChartLine("", [0.5] * 8), height=5)]
    assert labels == ["    1 ┤", "      │", "  0.5 ┤", "      │", "    0 ┤"]


def test_values_outside_the_frame_stay_on_its_edge_and_none_draw_nothing() -> None:
    assert picture(ChartLine("far", [9.0] * 8)) == picture(ChartLine("top", [1.0] * 8))
    assert [row[GUTTER:].strip() for row in picture(ChartLine("none", []))] == ["", ""]


@pytest.mark.parametrize("width", [1, 10, 33])
def test_rows_are_as_wide_as_asked(width: int) -> None:
    assert {len(row) for row in picture(ChartLine("", [0.5] * 8), width=width)} == {max(width, GUTTER + 1)}


def test_the_legend_shows_a_piece_of_each_line() -> None:
    assert draw_legend([ChartLine("a", []), ChartLine("b", [], dotted=True)]).plain.split() == [
        "⠒⠒⠒",
        "a",
        "⠒",
        "⠒",
        "b",
    ]
