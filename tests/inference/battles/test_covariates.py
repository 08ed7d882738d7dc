"""Battles with covariates: style control against an independent fit, planted length bias, places and cycles."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from ladderboard.core.errors import InputError
from ladderboard.evals import Battles, read_results
from ladderboard.inference.battles.ranking import rank_battles

NAMES = ("a", "b", "c", "d")
STRENGTHS = np.array([0.6, 0.2, -0.2, -0.6])
VERBOSITY = np.array([-0.3, 0.0, 0.0, 0.6])
"""How much longer the answers of each system are: the weakest writes most."""


def draw(seed: int, battles: int = 4000, *, items: int | None = None, bias: float = 1.5, place: float = 0.3) -> Battles:
    """Votes that favour long answers and the first place."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, battles)
    second = (first + rng.integers(1, 4, battles)) % 4
    length = VERBOSITY[first] - VERBOSITY[second] + rng.normal(0, 0.4, battles)
    logit = STRENGTHS[first] - STRENGTHS[second] + bias * length + place
    won = (rng.random(battles) < 1 / (1 + np.exp(-logit))).astype(float)
    won[rng.random(battles) < 0.1] = 0.5
    return Battles.of(
        [NAMES[one] for one in first],
        [NAMES[one] for one in second],
        won.tolist(),
        items=None if items is None else [str(item) for item in rng.integers(0, items, battles)],
        covariates={"length": length, "position": np.ones(battles)},
    )


def test_the_fit_is_that_of_a_logistic_regression_as_in_style_control() -> None:
    """FastChat fits the systems' dummies and the style's columns by one logistic regression, a tie as half of each."""
    battles = draw(1)
    assert battles.covariates is not None
    design = np.zeros((len(battles), 4))
    design[np.arange(len(battles)), battles.first] = 1
    design[np.arange(len(battles)), battles.second] -= 1
    table = np.hstack([design, battles.covariates])
    wins, losses = battles.outcomes, 1 - battles.outcomes
    model = LogisticRegression(C=1e10, fit_intercept=False, tol=1e-10, max_iter=1000)
    model.fit(np.vstack([table, table]), np.r_[np.ones(len(wins)), np.zeros(len(wins))], np.r_[wins, losses])
    expected = model.coef_[0]
    ranking = rank_battles(battles, replicates=100)
    assert ranking.strengths == pytest.approx(expected[:4] - expected[:4].mean(), abs=1e-4)
    assert [one.effect for one in ranking.effects] == pytest.approx(expected[4:], abs=1e-4)
    assert [one.name for one in ranking.effects] == ["length", "position"]


def test_a_long_winded_system_loses_its_place_when_length_is_controlled_for() -> None:
    battles = draw(2)
    blind = Battles(battles.systems, battles.first, battles.second, battles.outcomes)
    assert rank_battles(blind, replicates=500).ranges[3].best == 1
    assert [one.best for one in rank_battles(battles, replicates=500).ranges] == [1, 2, 3, 4]


@pytest.mark.parametrize("items", [None, 150])
def test_standard_errors_are_the_spread_over_samples(items: int | None) -> None:
    """Of 100 samples: the ratio of variances lies within 1 ± .55 but for 1 of 10,000 each."""
    rankings = [rank_battles(draw(seed, 800, items=items), replicates=20) for seed in range(100)]
    found = np.array([[*one.strengths, *(effect.effect for effect in one.effects)] for one in rankings])
    told = np.array([[*one.standard_errors, *(effect.standard_error for effect in one.effects)] for one in rankings])
    assert found.std(axis=0) == pytest.approx(np.sqrt((told**2).mean(axis=0)), rel=0.25)


@pytest.mark.claim
def test_ranges_cover_under_length_bias_and_without_control_they_do_not() -> None:
    """Claimed .95: of 80 fewer than 68 cover with a probability of .0006."""
    covered = blind = 0
    for seed in range(80):
        battles = draw(1000 + seed, 600)
        bare = Battles(battles.systems, battles.first, battles.second, battles.outcomes)
        covered += all(
            one.best <= place <= one.worst for place, one in enumerate(rank_battles(battles, replicates=300).ranges, 1)
        )
        blind += all(
            one.best <= place <= one.worst for place, one in enumerate(rank_battles(bare, replicates=300).ranges, 1)
        )
    assert covered >= 68
    assert blind <= 20


def test_a_cycle_is_found_beside_covariates_and_none_where_there_is_none() -> None:
    assert not rank_battles(draw(5), replicates=100).fit.is_doubtful
    rng = np.random.default_rng(6)
    first = rng.integers(0, 3, 3000)
    second = (first + rng.integers(1, 3, 3000)) % 3
    beats = ((second - first) % 3 == 1) * 0.4 + 0.3  # each beats the next
    battles = Battles.of(
        [NAMES[one] for one in first],
        [NAMES[one] for one in second],
        (rng.random(3000) < beats).astype(float).tolist(),
        covariates={"length": rng.normal(0, 1, 3000)},
    )
    assert rank_battles(battles, replicates=100).fit.is_doubtful


def test_covariates_that_say_nothing_or_the_same_are_refused() -> None:
    battles = draw(7, 300)
    for covariates, message in (
        ({"zero": np.zeros(300)}, "is 0 in every battle"),
        ({"system": np.where(battles.first == 0, 1.0, 0.0) - (battles.second == 0)}, "determined by the systems"),
        ({"one": np.arange(300.0), "two": 3 * np.arange(300.0)}, "determined by the systems or by each other"),
        ({"gap": np.r_[np.nan, np.ones(299)]}, "a covariate is missing in a battle"),
    ):
        names = [battles.systems[one] for one in battles.first], [battles.systems[one] for one in battles.second]
        made = Battles.of(*names, battles.outcomes.tolist(), covariates=covariates)
        with pytest.raises(InputError, match=message):
            rank_battles(made)


def test_covariates_that_settle_every_battle_are_refused() -> None:
    """Three battles, of which strengths and places together explain every one."""
    battles = Battles.of(["x", "y", "x"], ["y", "x", "y"], [1, 0, 0], covariates={"position": np.ones(3)})
    with pytest.raises(InputError, match="some outcomes are certain, so no finite strengths and effects fit"):
        rank_battles(battles)
    length = np.linspace(-1, 1, 40)
    won = (length > 0).astype(float)
    separated = Battles.of(["x", "y"] * 20, ["y", "x"] * 20, won.tolist(), covariates={"length": length})
    with pytest.raises(InputError, match="leave a covariate out, or collect more battles"):
        rank_battles(separated)


def test_a_table_gives_lengths_of_both_sides_and_places(tmp_path: Path) -> None:
    path = tmp_path / "battles.csv"
    path.write_text("model_a,model_b,winner,length_a,length_b\nx,y,model_a,300,100\ny,x,tie,0,0\n")
    battles = read_results(path, covariates=["length", "position"])
    assert isinstance(battles, Battles)
    assert battles.covariates is not None
    assert battles.covariates.tolist() == [[0.5, 1], [0, 1]]
    assert any(
        "controlled for: length ('length_a' − 'length_b' in shares of their sum)" in one for one in battles.notes
    )
    assert battles.left_out == ()
    path.write_text("model_a,model_b,winner,length_a,length_b\nx,y,model_a,300,\n")
    with pytest.raises(InputError, match=r"line 2.*'length_b': the cell is empty, and --covariate length needs"):
        read_results(path, covariates="length")
    wide = tmp_path / "wide.csv"
    wide.write_text("id,a,b\nq1,1,0\nq2,0,1\n")
    with pytest.raises(InputError, match=r"holds no battles, and --covariate is of battles alone"):
        read_results(wide, covariates="length", kind="correct")
