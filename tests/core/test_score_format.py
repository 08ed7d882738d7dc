"""One spelling for each number: fixed decimals, significant digits, or as many as it needs."""

import math

import pytest

from ladderboard.core.score_format import ScoreFormat


def test_decimals_are_kept_whatever_the_number() -> None:
    three = ScoreFormat(decimals=3)
    shown = [three.write(value) for value in (0.53, 0.5, 1.0, 12345.5, -0.25, 0.00001, None)]
    assert shown == ["0.530", "0.500", "1.000", "12,345.500", "−0.250", "0.000", "–"]


def test_digits_are_significant_ones() -> None:
    four = ScoreFormat(digits=4)
    shown = [four.write(value) for value in (0.523, 12.3, 1234.0, 1234000.0, 0.00001234, -0.5, 0.0)]
    assert shown == ["0.5230", "12.30", "1,234", "1,234,000", "1.234e-05", "−0.5000", "0"]


def test_without_either_a_number_is_written_as_it_needs() -> None:
    shown = [ScoreFormat().write(value) for value in (0.5, 0.8741, -0.25, 12345.5, 0.1234567, -0.00001234)]
    assert shown == ["0.5", "0.8741", "−0.25", "12,345.5", "0.123457", "−1.234e-05"]


@pytest.mark.parametrize("made", [ScoreFormat(), ScoreFormat(decimals=2), ScoreFormat(digits=4)])
def test_there_is_no_negative_zero(made: ScoreFormat) -> None:
    assert made.write(-0.0) == made.write(0.0)
    assert not ScoreFormat(decimals=2).write(-0.001).startswith("−")


@pytest.mark.parametrize("step", [1 / n for n in range(2, 400)] + [0.02, 0.025, 0.3, 1e-5, 2.5, 1000.0])
def test_neighbouring_multiples_of_a_step_read_differently(step: float) -> None:
    made = ScoreFormat.of_step(step)
    written = [made.write(k * step) for k in range(400)]
    assert len(set(written)) == 400
    assert made.decimals is not None
    assert made.decimals <= max(0, math.ceil(-math.log10(step))) + 2
