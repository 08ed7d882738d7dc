"""Scales and grids: a release is one of finitely many numbers, and the nearest one."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladderboard.core.scales import FISHER_Z, IDENTITY, LOG, LOG_COMPLEMENT, LOGIT, PROPORTION, Grid, Scale
from ladderboard.metrics import METRICS

SCALES = {scale.name: scale for scale in (PROPORTION, LOGIT, FISHER_Z, LOG, LOG_COMPLEMENT, IDENTITY)}
INSIDE = {
    "asin_sqrt": st.floats(0.001, 0.999),
    "logit": st.floats(0.001, 0.999),
    "fisher_z": st.floats(-0.999, 0.999),
    "log": st.floats(1e-9, 1e9),
    "log_complement": st.floats(-1e4, 0.999),
    "identity": st.floats(-1e9, 1e9),
}
"""Scores at which a baseline can be."""
NULL_ERROR = {"asin_sqrt": 0.5, "logit": 0.6, "fisher_z": 1.0, "log": 1.4, "log_complement": 1.4, "identity": 1.0}
"""The null standard error of one item, relative to the baseline's score on the log scale."""
each_scale = pytest.mark.parametrize("name", SCALES)


@st.composite
def grids(draw: st.DrawFn, name: str, most_items: int = 10**6, fractions: tuple[float, ...] = (0.1, 0.5, 1.0)) -> Grid:
    """Grids as holdouts of 4 to a million items have them."""
    centre = 0.0 if name in ("fisher_z", "log_complement") else 0.5 if name == "logit" else draw(INSIDE[name])
    error = NULL_ERROR[name] / math.sqrt(draw(st.integers(4, most_items)))
    error *= centre if name == "log" else 2 * math.sqrt(centre * (1 - centre)) if name == "asin_sqrt" else 1.0
    scale, fraction = SCALES[name], draw(st.sampled_from(fractions))
    bounds = draw(bounds_around(centre, scale, error))
    return Grid.around(centre, scale=scale, standard_error=error, fraction=fraction, bounds=bounds)


@st.composite
def bounds_around(draw: st.DrawFn, centre: float, scale: Scale, error: float) -> tuple[float, float]:
    """A metric's own bounds: none, those of the scale, or others, four standard errors from the baseline or more."""
    lowest, highest = scale.ends or (0.0 if scale is LOG else -math.inf, math.inf)
    below, above = (draw(st.just(math.inf) | st.floats(4, 2000)) for _ in range(2))
    return max(lowest, centre - below * error), min(highest, centre + above * error)


def scores(grid: Grid) -> st.SearchStrategy[float]:
    """Scores on the whole grid, a little beyond it where it has no natural ends, and often close to an end."""
    width = grid.high - grid.low
    margin = 0.0 if grid.scale.ends else width / 10
    near_an_end = st.floats(0, 1).map(lambda u: grid.low + width * u**6) | st.floats(0, 1).map(
        lambda u: grid.high - width * u**6
    )
    return st.floats(max(grid.low - margin, 0.0 if grid.scale is LOG else -math.inf), grid.high + margin) | near_an_end


@each_scale
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_number_of_the_grid_is_its_own_nearest(name: str, data: st.DataObject) -> None:
    grid = data.draw(grids(name))
    released = grid.nearest(data.draw(scores(grid)))
    assert grid.nearest(released) == released
    assert math.copysign(1.0, released) > 0 or released < 0, "no negative zero"


@each_scale
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_better_score_never_gets_a_worse_number(name: str, data: st.DataObject) -> None:
    grid = data.draw(grids(name))
    lower, higher = sorted([data.draw(scores(grid)), data.draw(scores(grid))])
    assert grid.nearest(lower) <= grid.nearest(higher)


@each_scale
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_nearest_number_is_half_a_step_and_half_a_written_unit_away_at_most(name: str, data: st.DataObject) -> None:
    grid = data.draw(grids(name))
    score = data.draw(scores(grid))
    released = grid.nearest(score)
    at = grid.scale.forward(min(max(score, grid.low), grid.high))
    # An end takes the place of the number before it, and a grid without natural ends starts up to a step inside.
    is_outermost = released in (0.0, grid.nearest(grid.low), grid.nearest(grid.high))
    reach = (1.0 if is_outermost else 0.5) * grid.step * (1 + 1e-9)
    unit = released * 1e-3 if name == "log" else 10.0**-grid.decimals
    slack = unit * (0.5 + 1e-6) + 1e-6
    if not (name == "log" and released == 0):  # all that lies below the scale
        assert grid.scale.inverse(at - reach) - slack <= released
    assert released <= grid.scale.inverse(at + reach) + slack


@each_scale
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_the_size_counts_every_number_that_can_be_released(name: str, data: st.DataObject) -> None:
    grid = data.draw(grids(name, most_items=200, fractions=(1.0,)))
    low, high = grid.scale.forward(grid.low), grid.scale.forward(grid.high)
    points = (low + (high - low) * part / (4 * grid.size) for part in range(4 * grid.size + 1))
    released = {grid.nearest(grid.scale.inverse(point)) for point in points}
    released |= {grid.nearest(grid.low), grid.nearest(grid.high), grid.nearest(0.0 if name == "log" else grid.low)}
    assert len(released) <= grid.size
    if name in ("log", "identity"):  # elsewhere numbers near the ends may coincide when written
        assert len(released) >= grid.size - 1


@each_scale
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_natural_ends_are_released_as_they_are(name: str, data: st.DataObject) -> None:
    grid = data.draw(grids(name))
    for end, bound in zip((grid.low, grid.high), grid.bounds, strict=True):
        if grid.scale.ends or end == bound:
            assert grid.nearest(end) == end


@each_scale
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_nothing_is_released_beyond_the_bounds_of_the_metric(name: str, data: st.DataObject) -> None:
    grid = data.draw(grids(name))
    lowest, highest = grid.bounds
    released = grid.nearest(data.draw(scores(grid)))
    for told in (released, grid.shift(released, -1.96), grid.shift(released, 1.96)):
        assert lowest <= told <= highest


@each_scale
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_scale_is_increasing_and_its_inverse_and_slope_belong_to_it(name: str, data: st.DataObject) -> None:
    scale: Scale = SCALES[name]
    score = data.draw(INSIDE[name])
    assert scale.inverse(scale.forward(score)) == pytest.approx(score, rel=1e-9, abs=1e-12)
    change = 1e-6 * {"log": score, "log_complement": 1 - score, "identity": 1e9}.get(name, 1e-3)
    slope = (scale.forward(score + change) - scale.forward(score - change)) / (2 * change)
    assert scale.slope(score) == pytest.approx(slope, rel=1e-3)


@each_scale
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_shift_keeps_within_the_ends_and_goes_the_right_way(name: str, data: st.DataObject) -> None:
    grid = data.draw(grids(name))
    score = grid.nearest(data.draw(scores(grid)))
    down, up = grid.shift(score, -1.96), grid.shift(score, 1.96)
    assert down <= up
    unit = max(10.0**-grid.decimals, 1e-3 * max(abs(down), abs(up)) * (name == "log"))
    assert grid.low - unit <= down <= max(score, grid.low) + unit
    assert max(score, grid.low) - unit <= up <= grid.high + unit


def test_zero_errors_are_shown_as_zero_on_the_log_scale() -> None:
    grid = Grid.around(2.0, scale=LOG, standard_error=0.1, fraction=0.5)
    assert grid.nearest(0.0) == 0.0
    assert grid.nearest(1.99) == pytest.approx(2.0, rel=0.03)


def test_a_large_holdout_gets_the_digits_its_step_deserves() -> None:
    grid = Grid.around(1.5, scale=LOG, standard_error=0.001, fraction=0.5)
    numbers = {grid.nearest(1.5 + 0.0005 * part) for part in range(20)}
    assert len(numbers) == 20


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_a_scale_that_holds_its_bounds(name: str) -> None:
    metric = METRICS[name]
    assert metric.scale.name in SCALES
    if metric.scale.ends is not None and math.isfinite(metric.bounds[0]):
        assert metric.scale.ends == metric.bounds
