"""Names in a space of their own: none reads as another, and none is longer than its space if it can be helped."""

import itertools

import pytest

from ladderboard.drawing.names import shorten_names

SIZES = ["7B", "70B", "8B", "405B"]


@pytest.mark.parametrize("width", [14, 18, 24])
def test_names_that_differ_inside_are_cut_at_their_ends(width: int) -> None:
    names = [f"org/model-{kind}-{size}-instruct" for kind, size in itertools.product(("alpha", "beta"), SIZES)]
    short = shorten_names(names, width)
    assert len(set(short)) == len(names)
    assert max(map(len, short)) <= max(map(len, names))
    assert all(part.strip("…") in name or "…" in part for part, name in zip(short, names, strict=True))


def test_a_chart_of_tasks_keeps_such_names_in_its_margin() -> None:
    names = [f"org/model-{kind}-instruct" for kind in ("zeta-405B", "eps-27B", "gamma-32B", "delta-9B")]
    short = shorten_names(names, 18)
    assert max(map(len, short)) <= 18
    assert all(kind in part for kind, part in zip(("zeta", "eps", "gamma", "delta"), short, strict=True))


def test_two_systems_of_one_name_keep_it() -> None:
    assert shorten_names(["a" * 30] * 2, 10) == ["a" * 30] * 2
