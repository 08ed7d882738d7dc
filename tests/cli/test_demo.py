import re

import pytest
from click.testing import CliRunner

from ladderboard.cli.demo_boards import COIN, Climb, attack, climb_honestly
from ladderboard.cli.main import cli


def run_demo(columns: int, *options: str) -> str:
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(cli, ["demo", "--submissions", "400", *options])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_last_sentence_has_the_numbers_of_this_run() -> None:
    shown = run_demo(100, "--seed", "3")
    words = " ".join(shown.split())
    numbers = re.search(
        r"raw scoring shows an error rate of (\S+) and the parameter-free Ladder (\S+) where the truth is 0.500; "
        r"Ladderboard's guard shows (\S+), and .* progress to (\S+) with a mean error of (\S+)\.",
        words,
    )
    assert numbers is not None
    raw, free, guarded, _, _ = map(float, numbers.groups())
    # 400 pair flips: 1/q = 2 + 2k/n, so the raw board is at .36, five standard errors of luck below the truth.
    assert raw == pytest.approx(0.36, abs=0.03)
    assert free == pytest.approx(0.36, abs=0.03)
    assert guarded == pytest.approx(0.5, abs=0.05)
    assert "ladderboard holdout init" in words


def test_a_pipe_gets_plain_text_of_its_width() -> None:
    for columns in (60, 120):
        shown = run_demo(columns)
        assert "\x1b" not in shown
        assert max(map(len, shown.splitlines())) <= columns
        assert shown.count("error rate the board shows") == 1


def test_the_same_seed_plays_the_same_game() -> None:
    assert run_demo(80, "--seed", "5") == run_demo(80, "--seed", "5") != run_demo(80, "--seed", "6")


@pytest.mark.claim
def test_the_attack_climbs_the_papers_ladder_and_not_the_guard() -> None:
    # 1500 pair flips, n = 1000: 1/q = 2 + 2k/n gives q = .2 for a board without protection. The guard shows its
    # baseline until something is accepted, in expectation at most α·(1 + … + 1/1500) = .4 times; the witness half then
    # shows one half with a standard error of .022, so that .05 is exceeded by a right guard with probability below .02.
    climbs = {}
    for mechanism in ("full_disclosure", "parameter_free_ladder", "witness_ladder"):
        climbs[mechanism] = Climb(mechanism, 1500)
        assert sum(1 for _ in attack(climbs[mechanism], mechanism=mechanism, seed=2)) == 1500
    assert climbs["full_disclosure"].reported[-1] == pytest.approx(0.2, abs=0.03)
    assert climbs["parameter_free_ladder"].reported[-1] < 0.3
    assert climbs["witness_ladder"].reported[-1] == pytest.approx(COIN, abs=0.05)


def test_the_honest_team_is_followed() -> None:
    climb = Climb("honest", 60)
    assert sum(1 for _ in climb_honestly(climb, mechanism="witness_ladder", seed=1)) == 60
    assert climb.true == sorted(climb.true, reverse=True)
    assert climb.true[0] == pytest.approx(0.4, abs=0.03)
    assert climb.reported[-1] == pytest.approx(climb.true[-1], abs=0.04)
    assert climb.mean_error < 0.06
