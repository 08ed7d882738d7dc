"""Line charts for the terminal, drawn with braille dots (two by four to a character)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rich.text import Text

from ladderboard.core.records import FloatArray

Dots = npt.NDArray[np.bool_]

# The bit of each dot of a braille character, by row and column (Unicode block 2800).
_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_BLANK = 0x2800
GUTTER = 7
"""Columns taken by the numbers of the vertical axis."""


@dataclass(frozen=True)
class ChartLine:
    """One line of a chart; dotted and solid lines differ even without colours."""

    name: str
    values: Sequence[float]
    style: str = ""
    dotted: bool = False


@dataclass(frozen=True)
class ChartFrame:
    """The size of a chart in characters, and the values at its edges."""

    width: int
    """Characters from edge to edge, including the axis numbers."""
    height: int
    low: float
    high: float
    length: int
    """How many values fill the whole width; a shorter line ends earlier."""

    @property
    def columns(self) -> int:
        """Characters left for the lines."""
        return max(1, self.width - GUTTER)


def draw_chart(lines: Sequence[ChartLine], frame: ChartFrame) -> list[Text]:
    """Draw the rows of a chart; where lines cross, the first one's colour wins."""
    canvases = [_dots(line, frame) for line in lines]
    rows = []
    for row in range(frame.height):
        text = Text(_axis_label(row, frame))
        for column in range(frame.columns):
            cells = [canvas[4 * row : 4 * row + 4, 2 * column : 2 * column + 2] for canvas in canvases]
            drawn = [line for line, cell in zip(lines, cells, strict=True) if cell.any()]
            bits = int(np.bitwise_or.reduce([int((_BITS * cell).sum()) for cell in cells]))
            text.append(chr(_BLANK + bits) if bits else " ", style=drawn[0].style if drawn else "")
        rows.append(text)
    return rows


def draw_legend(lines: Sequence[ChartLine]) -> Text:
    """Draw the legend: the name of each line beside a piece of it."""
    text = Text(" " * GUTTER)
    for line in lines:
        text.append("⠒ ⠒ " if line.dotted else "⠒⠒⠒ ", style=line.style)
        text.append(f"{line.name}   ")
    return text


def _dots(line: ChartLine, frame: ChartFrame) -> Dots:
    """Draw the dots of one line: steps joined by vertical strokes, or every third dot alone."""
    canvas = np.zeros((4 * frame.height, 2 * frame.columns), dtype=bool)
    if not len(line.values):
        return canvas
    levels = _levels(np.asarray(line.values, dtype=np.float64), frame)
    filled = min(2 * frame.columns, max(1, round(2 * frame.columns * len(levels) / frame.length)))
    places = np.linspace(0, len(levels) - 1, filled).round().astype(int)
    before = levels[places[0]]
    for column, level in enumerate(levels[places]):
        if not line.dotted:
            canvas[min(before, level) : max(before, level) + 1, column] = True
        elif column % 3 == 0:
            canvas[level, column] = True
        before = level
    return canvas


def _levels(values: FloatArray, frame: ChartFrame) -> npt.NDArray[np.intp]:
    """Compute the row of dots of each value, counted from the top."""
    share = np.clip((frame.high - values) / (frame.high - frame.low), 0, 1)
    return np.asarray(np.round(share * (4 * frame.height - 1)), dtype=np.intp)


def _axis_label(row: int, frame: ChartFrame) -> str:
    if row not in (0, frame.height // 2, frame.height - 1):
        return " " * (GUTTER - 1) + "│"
    value = frame.high - (frame.high - frame.low) * row / max(1, frame.height - 1)
    return f"{value:>{GUTTER - 2}.3g} ┤"
