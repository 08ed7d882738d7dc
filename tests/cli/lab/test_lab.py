"""`ladderboard lab`: what a user types and sees, and one sentence where it cannot be done."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ladderboard.cli._shared.parameters import parse_parameters
from ladderboard.cli.main import cli
from ladderboard.core.errors import ParameterError


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["lab", *words], env={"COLUMNS": "100"})


def test_the_group_lists_its_commands() -> None:
    result = run("--help")
    assert result.exit_code == 0
    for word in ("attack", "arena", "reproduce"):
        assert word in result.output


def test_an_attack_is_told_as_a_chart_and_a_sentence() -> None:
    result = run("attack", "--attack", "hill_climb", "--mechanism", "parameter_free_ladder", "--n", "100", "--k", "200")
    assert result.exit_code == 0, result.output
    assert "hill_climb against parameter_free_ladder, n = 100, k = 200" in result.output
    assert "error rate the board shows" in result.output
    assert "After 200 submissions" in result.output
    assert "the board overstates the score by 0." in result.output


def test_an_attack_as_json_has_its_numbers_and_its_course() -> None:
    words = ("--attack", "coordinate_probe", "--mechanism", "full_disclosure", "--n", "50", "--k", "60", "--json")
    result = run("attack", *words)
    told = json.loads(result.stdout)
    assert told["revealed"] == 1.0
    assert told["overfit"] == told["final_overfit"] == 0.5
    assert told["course"][-1] == {"attempt": 52, "shown": 0.0, "true": 0.5}
    assert told["parameters"] == {"precision": 1e-5}
    assert result.stdout == run("attack", *words).stdout  # the same seed, the same run


def test_parameters_of_the_mechanism_and_of_the_attack_can_be_set(tmp_path: Path) -> None:
    figure = tmp_path / "course.svg"
    result = run(
        *("attack", "--attack", "hill_climb", "--attack-set", "flips=null", "--mechanism", "ladder"),
        *("--set", "step_size=.05", "--n", "100", "--k", "50", "--json", "--figure", str(figure)),
    )
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["parameters"]["step_size"] == 0.05
    assert told["setting"] == "flips=None"
    assert "<svg" in figure.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--attack", "hilclimb"), "there is no attack 'hilclimb'; did you mean hill_climb?"),
        (("--attack", "boosting", "--mechanism", "ladderr"), "there is no mechanism 'ladderr'; did you mean ladder?"),
        (("--attack", "boosting", "--set", "eta=1"), "witness_ladder takes the parameters"),
        (("--attack", "boosting", "--attack-set", "x=1"), "boosting takes the parameters none; given: x"),
        (("--attack", "boosting", "--set", "eta"), "--set eta: write it as name=value"),
        (("--attack", "boosting", "--n", "10"), "n is 10; the laboratory needs at least 30 items"),
        (("--attack", "boosting", "--problem", "coin_flips_auc"), "needs the metric error_rate, not auc"),
        (("--attack", "boosting", "--problem", "coins"), "there is no problem 'coins'"),
        (("--attack", "log_loss_oracle", "--mechanism", "ladder"), "ladder does not work with coin_flips_log_loss"),
        (("--attack", "boosting", "--figure", "course.pdf"), "the name of a figure must end in .svg or .png"),
        (("--attack", "boosting", "--figure", "no/such/folder/course.svg"), "there is no folder"),
    ],
)
def test_bad_input_to_an_attack_is_one_sentence_and_exit_code_2(words: tuple[str, ...], sentence: str) -> None:
    result = run("attack", "--k", "20", *words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_an_arena_prints_its_table_and_goes_on_with_the_same_command(tmp_path: Path) -> None:
    words = (
        *("arena", "--n", "100", "--k", "40", "--repetitions", "1", "--stream-repetitions", "1"),
        *("--mechanism", "full_disclosure", "--mechanism", "witness", "--attack", "boosting", "--out", str(tmp_path)),
    )
    first = run(*words)
    assert first.exit_code == 0, first.output
    assert "witness" in first.stdout
    assert "1.00×" in first.stdout
    cells = (tmp_path / "cells.jsonl").read_bytes()
    assert run(*words).stdout == first.stdout
    assert (tmp_path / "cells.jsonl").read_bytes() == cells
    told = json.loads(run(*words, "--json").stdout)
    assert told == json.loads((tmp_path / "arena.json").read_text(encoding="utf-8"))
    assert told["command"] == (
        "ladderboard lab arena --n 100 --k 40 --repetitions 1 --stream-repetitions 1 "
        "--mechanism full_disclosure --mechanism witness --attack boosting"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--mechanism", "witnes"), "there is no mechanism 'witnes'; did you mean witness?"),
        (("--attack", "padddding"), "there is no attack 'padddding'; did you mean padding?"),
        (("--n", "10"), "n is 10; the arena needs at least 100 items"),
    ],
)
def test_bad_input_to_an_arena_is_one_sentence_and_exit_code_2(
    words: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    result = run("arena", *words, "--out", str(tmp_path / "arena"))
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert not (tmp_path / "arena").exists()


def test_values_are_numbers_booleans_or_text() -> None:
    given = parse_parameters(("a=-.5", "b=1e-3", "c=7", "d=false", "e=null", "f=x=y"))
    assert given == {"a": -0.5, "b": 1e-3, "c": 7, "d": False, "e": None, "f": "x=y"}
    with pytest.raises(ParameterError, match="--set =3: write it as name=value"):
        parse_parameters(("=3",))
