"""Charts as SVG, drawn on the server from numbers, without script.

Colours come from the stylesheet through classes (`.ch-line`, `.ch-dot`, …), so that every chart is right in light, dark
and print. Each chart has a title and a description for those who do not see it. Nothing but released numbers comes in.
"""

from ladderboard.drawing.slopes import NARROW, Shift, shake_up
from ladderboard.drawing.whiskers import RankAxis, rank_axis, rank_whisker
from ladderboard.server.charts.dashboard import HourBar, leakage_meter, submissions_per_hour
from ladderboard.server.charts.luck import draw_climbing_by_luck
from ladderboard.server.charts.staircase import Step, sparkline, staircase
from ladderboard.server.charts.timeline import Moment, timeline

__all__ = [
    "NARROW",
    "HourBar",
    "Moment",
    "RankAxis",
    "Shift",
    "Step",
    "draw_climbing_by_luck",
    "leakage_meter",
    "rank_axis",
    "rank_whisker",
    "shake_up",
    "sparkline",
    "staircase",
    "submissions_per_hour",
    "timeline",
]
