"""What a hidden best of N is worth, against simulation and closed forms."""

import math

import numpy as np
import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.inference.multiplicity.sota import sota
from ladderboard.inference.multiplicity.undisclosed import expected_maximum, worth_of_hidden


def test_the_expected_maximum_of_few_normals_has_a_closed_form() -> None:
    assert expected_maximum(1) == pytest.approx(0, abs=1e-9)
    assert expected_maximum(2) == pytest.approx(1 / math.sqrt(math.pi), abs=1e-7)
    assert expected_maximum(3) == pytest.approx(1.5 / math.sqrt(math.pi), abs=1e-7)


def test_the_expected_maximum_of_many_normals_is_the_simulated_one() -> None:
    # 20,000 maxima: a standard error of .003.
    simulated = np.random.default_rng(1).standard_normal((20_000, 100)).max(axis=1).mean()
    assert expected_maximum(100) == pytest.approx(simulated, abs=0.012)


def test_independent_variants_of_equal_accuracy_are_those_of_the_binomial_law() -> None:
    wrong = np.random.default_rng(2).random((20_000, 2)) < 0.5
    # A normal law of binomial scores at accuracy ½; the standard error is estimated within 1 %.
    assert worth_of_hidden(wrong, 27).most == pytest.approx(sota(27, 20_000, 0.5).luck, rel=0.02)


@pytest.mark.claim
def test_the_worth_is_what_hiding_gives() -> None:
    # 4,000 boards on which a team shows the best of ten variants with correlation .5: standard errors of about 1.5 %.
    rng = np.random.default_rng(3)
    means = (rng.standard_normal((4000, 1)) + rng.standard_normal((4000, 10))).min(axis=1) / math.sqrt(2)
    losses = rng.standard_normal((100_000, 1)) + rng.standard_normal((100_000, 6))
    unit = math.sqrt(100_000 / 2)  # of standard errors
    assert worth_of_hidden(losses, 10).worth * unit == pytest.approx(-means.mean(), rel=0.06)


def test_identical_variants_are_worth_nothing() -> None:
    losses = np.repeat(np.random.default_rng(4).normal(size=(200, 1)), 3, axis=1)
    found = worth_of_hidden(losses, 50)
    assert found.worth == pytest.approx(0, abs=1e-6)
    assert found.most > 0
    assert worth_of_hidden(losses, 50, similarity=0.0).worth == pytest.approx(found.most)


def test_the_lead_is_compared() -> None:
    rng = np.random.default_rng(5)
    level, ahead = rng.random((500, 3)) < 0.3, rng.random((500, 3)) < [0.1, 0.5, 0.5]
    assert worth_of_hidden(level, 100).explains_lead
    found = worth_of_hidden(ahead, 100)
    assert not found.explains_lead
    assert "is more than that." in found.sentence("{:.3f}".format)
    assert worth_of_hidden(ahead[:, :1], 5).lead is None


def test_groups_make_a_hidden_best_worth_more() -> None:
    rng = np.random.default_rng(6)
    losses = np.repeat(rng.normal(size=(50, 3)), 10, axis=0)
    groups = np.repeat(np.arange(50), 10)
    assert worth_of_hidden(losses, 9, groups=groups).most == pytest.approx(
        math.sqrt(10) * worth_of_hidden(losses, 9).most, rel=0.02
    )


def test_no_variants_are_refused() -> None:
    with pytest.raises(ParameterError, match="variants is 0"):
        worth_of_hidden(np.eye(3), 0)
