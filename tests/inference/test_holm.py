import numpy as np
import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.inference.holm import holm


def test_the_worked_example_of_the_definition() -> None:
    # Sorted .005 .01 .03 .04, multiplied by 4 3 2 1: .02 .03 .06 .04, and made monotone.
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_decisions_are_those_of_the_sequential_procedure() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        p = rng.random(12) ** 4
        rejected = set()
        for i, j in enumerate(np.argsort(p)):
            if p[j] > 0.05 / (12 - i):
                break
            rejected.add(int(j))
        assert {int(j) for j in np.flatnonzero(holm(p) <= 0.05)} == rejected


def test_one_p_value_stays_and_none_exceeds_one() -> None:
    assert holm([0.3]).tolist() == [0.3]
    assert holm([0.6, 0.9]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []


@pytest.mark.parametrize("bad", [[-0.1], [1.1], [np.nan], [[0.1, 0.2]]])
def test_what_is_no_list_of_p_values_is_refused(bad: list[float]) -> None:
    with pytest.raises(ParameterError):
        holm(bad)
