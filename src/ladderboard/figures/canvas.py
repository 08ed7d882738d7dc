"""Reproducible figures: the same picture gives the same bytes."""

from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from ladderboard.core.errors import InputError, ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".pdf")
ACCENT, SECOND, MUTED = "#0b6e99", "#c8553d", "#8a8f98"
"""Two colours that differ in lightness as well, so that they can be told apart by everyone, and a grey."""


def new_axes(width: float, height: float) -> tuple["Figure", "Axes"]:
    """Make a figure of this size in inches, and axes without a frame at the top and right."""
    figure, (axes,) = new_panels(width, height, panels=1)
    return figure, axes


def new_panels(
    width: float, height: float, *, panels: int, columns: int = 1, shared: bool = True
) -> tuple["Figure", list["Axes"]]:
    """Make a figure with several axes in columns, row by row; ``shared``: all have the same scales."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("drawing needs matplotlib: pip install '.[lab]' in Ladderboard's checkout") from None
    figure = Figure(figsize=(width, height), layout="constrained")
    grid = figure.subplots(-(-panels // columns), columns, squeeze=False, sharex=shared, sharey=shared)
    every = [axes for row in grid for axes in row]
    for axes in every:
        axes.spines[["top", "right"]].set_visible(False)
    for axes in every[panels:]:
        axes.remove()
    return figure, every[:panels]


def save(figure: "Figure", path: Path, *, title: str) -> None:
    """Write the figure in the format given by the file's name; text stays text in an SVG."""
    if path.suffix not in FORMATS:
        raise ParameterError(f"{path.name}: the name of a figure must end in {', '.join(FORMATS)}")
    _write(figure, path, suffix=path.suffix, title=title)


def render_svg(figure: "Figure", *, title: str) -> str:
    """Render the figure as SVG text, for a page."""
    text = StringIO()
    _write(figure, text, suffix=".svg", title=title)
    return text.getvalue()


def _write(figure: "Figure", file: Path | StringIO, *, suffix: str, title: str) -> None:
    import matplotlib

    date = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}[suffix]
    with matplotlib.rc_context({"svg.hashsalt": "ladderboard", "svg.fonttype": "none"}):
        figure.savefig(file, format=suffix[1:], metadata={"Title": title, **date})
