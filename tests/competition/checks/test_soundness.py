"""Whether the two parts can be scored at all."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ladderboard.competition import load_competition
from tests.competition.folders import TOML, errors, inspect, labels, only, write_folder


def solution(label: Callable[[int], object], usage: Callable[[int], str], rows: int = 2000) -> str:
    return "\n".join(["id,label,Usage", *(f"{i},{label(i)},{usage(i)}" for i in range(rows))])


def mixed(i: int) -> str:
    return "Public" if i * 37 % 101 % 2 else "Private"


def label(i: int) -> int:
    return labels()[i] if i else 0


def test_a_sound_competition_has_no_findings(tmp_path: Path) -> None:
    found = inspect(tmp_path)
    assert not found.findings
    assert found.competition is not None
    assert found.competition.public.yardstick.units + len(found.competition.private or ()) == 2000


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            solution(lambda i: i % 2, lambda _: "Private"),
            "solution.csv: there are no public rows, so nothing can be scored; mark some as Public",
        ),
        (
            solution(lambda _: 1, mixed, 20),
            "solution.csv: all 20 labels are 1; at least two classes are needed",
        ),
        (
            solution(lambda i: 1 if mixed(i) == "Public" else i % 2, mixed, 200),
            "solution.csv: the public part (99 rows) cannot be scored: all of its labels are 1; both parts need at "
            "least two classes",
        ),
        (
            solution(lambda i: "b" if mixed(i) == "Private" else "ab"[i % 3 % 2], mixed, 200),
            "solution.csv: the private part (101 rows) cannot be scored: all of its labels are 'b'; both parts need at "
            "least two classes",
        ),
        (
            solution(lambda i: i % 2, lambda i: "Public" if i < 3 else "Private", 40),
            "solution.csv: the public part (3 rows) cannot be scored: it has 3 rows; at least 4 are needed",
        ),
    ],
)
def test_a_part_that_cannot_be_scored_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    assert errors(inspect(tmp_path, TOML, text)) == [problem]


def test_numbers_that_do_not_vary_are_refused(tmp_path: Path) -> None:
    text = solution(lambda i: 2.5 if mixed(i) == "Public" else i, mixed, 100)
    (problem,) = errors(inspect(tmp_path, TOML.replace("accuracy", "rmse"), text))
    assert problem.startswith("solution.csv: the public part (50 rows) cannot be scored: ")


def test_a_mechanism_that_cannot_serve_the_public_part_is_refused(tmp_path: Path) -> None:
    toml = TOML.replace("accuracy", "rmse") + "[mechanism]\nname = 'ladder'\n"
    (problem,) = errors(inspect(tmp_path, toml, solution(lambda i: i * 7919 % 1000 / 7, mixed)))
    assert problem.startswith("competition.toml:4: ladder does not work with this public part: ")


def test_a_class_too_rare_for_the_witness_ladders_halves_is_refused(tmp_path: Path) -> None:
    rare = solution(lambda i: int(i == 1 or (i % 3 == 0 and mixed(i) == "Private")), mixed, 400)
    (problem,) = errors(inspect(tmp_path / "witness", TOML.replace("accuracy", "auc"), rare))
    assert problem.startswith(
        "competition.toml: witness_ladder does not work with this public part: the metric has no value"
    )
    spending = TOML.replace("accuracy", "auc") + "mechanism = 'spending_ladder'\n"
    assert not errors(inspect(tmp_path / "spending", spending, rare))


def test_without_private_rows_a_warning_says_who_decides(tmp_path: Path) -> None:
    found = only(inspect(tmp_path, TOML, solution(label, lambda _: "Public")))
    assert found.is_warning
    assert found.message.startswith("there are no private rows")
    assert load_competition(tmp_path).private is None


def test_a_small_public_part_is_warned_of(tmp_path: Path) -> None:
    found = only(inspect(tmp_path, TOML, solution(label, mixed, 200)))
    assert found.is_warning
    assert found.message.startswith(
        "the public part is small (99 rows): a first submission that cuts the baseline's loss by 20%"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            solution(label, lambda i: "Public" if i < 1000 else "Private"),
            "the order of the ids (column 'id') reveals which rows are public",
        ),
        (solution(lambda i: int(i // 200 % 2), mixed), "the order of the ids (column 'id') reveals labels"),
    ],
)
def test_ids_whose_order_tells_are_warned_of(tmp_path: Path, text: str, sentence: str) -> None:
    found = only(inspect(tmp_path, TOML, text))
    assert found.is_warning
    assert found.message.startswith(sentence)


def test_a_missing_or_empty_description_is_warned_of(tmp_path: Path) -> None:
    write_folder(tmp_path, description__md=" \n")
    assert only(inspect(tmp_path, description__md=" \n")).message.startswith("the file is empty")
    from ladderboard.competition import inspect_folder

    (tmp_path / "description.md").unlink()
    assert str(only(inspect_folder(tmp_path))).startswith("description.md: warning: the file is missing")


def test_a_sample_that_is_no_submission_is_warned_of(tmp_path: Path) -> None:
    found = only(inspect(tmp_path, sample_submission__csv="id,lable\n1,0\n"))
    assert (found.file, found.is_warning) == ("sample_submission.csv", True)
    assert found.message.startswith("it does not fit the metric and the solution (")
    assert found.message.endswith("; `ladderboard check --write-sample` writes one that does")
