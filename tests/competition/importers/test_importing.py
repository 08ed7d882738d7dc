"""Competitions of other platforms: what is taken, what is left and named, and what is refused."""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from ladderboard.competition.importers.importing import Imported, ImportRequest, fill_from_bundle
from ladderboard.competition.scaffold import make_whole
from ladderboard.core.errors import InputError, SubmissionError, UndefinedMetricError
from ladderboard.scoring.sandbox import find_obstacle
from tests.scoring.frame_competitions import METRIC, make_rows
from tests.scoring.frame_competitions import make_folder as make_whales
from tests.scoring.program_competitions import (
    COMPETITION,
    PROGRAM,
    N,
    make_answers,
    make_bundle,
    make_challenge,
    make_labels,
    make_submission,
    pack,
)

NOW = datetime(2027, 1, 1, tzinfo=UTC)
needs_sandbox = pytest.mark.skipif(find_obstacle() is not None, reason="there is no sandbox here")


def take(folder: Path, source: Path, **given: object) -> Imported:
    with make_whole(folder) as temporary:
        return fill_from_bundle(temporary, folder, ImportRequest(source, **given), now=NOW)  # type: ignore[arg-type]


def score(imported: Imported, content: bytes) -> float:
    competition = imported.competition
    return competition.whole.evaluate(competition.scorer.score(competition.scorer.read(content)).values).score


@pytest.fixture(scope="module")
def coins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Imported]:
    if find_obstacle() is not None:
        pytest.skip("there is no sandbox here")
    folder = tmp_path_factory.mktemp("coins")
    imported = take(folder / "taken", make_bundle(folder / "bundle"))
    yield imported
    imported.competition.scorer.close()


def test_a_bundles_rules_and_pages_are_taken_and_the_rest_is_named(coins: Imported) -> None:
    rules = coins.competition.rules
    assert (rules.title, rules.summary, rules.metric) == ("Coins", "Which side is up?", "accuracy")
    assert rules.limits.per_day == 7
    assert rules.deadline == datetime(2999, 12, 31, tzinfo=UTC)
    assert rules.opens is None
    assert not coins.competition.metric.lower_is_better
    assert "Look at the coin." in coins.competition.description
    assert "Be fair." in coins.competition.description
    assert "docker_image" in coins.left
    assert "phase 'First': --phase takes it instead" in coins.left


def test_a_program_scores_as_it_does_by_hand(coins: Imported, tmp_path: Path) -> None:
    answers, program = make_answers(0.6), make_bundle(tmp_path / "bundle") / "program"
    for name, rows in (("ref/truth.txt", make_labels()), ("res/answer.txt", answers)):
        (tmp_path / "input" / name).parent.mkdir(parents=True)
        (tmp_path / "input" / name).write_text("\n".join(rows) + "\n")
    (tmp_path / "output").mkdir()
    command = [sys.executable, *map(str, (program / "score.py", tmp_path / "input", tmp_path / "output"))]
    subprocess.run(command, check=True, capture_output=True)
    written = (tmp_path / "output/scores.txt").read_text().splitlines()[0]
    assert written == f"accuracy: {score(coins, make_submission(answers))!r}"


def test_the_standard_error_is_that_of_a_proportion(coins: Imported) -> None:
    """17 groups know an SE to 1/√32; off by 4 of them is 1 in 10,000, and all is seeded."""
    competition, content = coins.competition, make_submission(make_answers(0.6))
    evaluation = competition.whole.evaluate(competition.scorer.score(competition.scorer.read(content)).values)
    p = evaluation.score
    found = np.std(evaluation.contributions, ddof=1) / np.sqrt(N)
    assert found == pytest.approx(np.sqrt(p * (1 - p) / N), rel=4 / np.sqrt(32))


BAD = {
    "no answers": (pack({"other.txt": "0\n"}), "the archive holds no file answer.txt"),
    "a line too few": (make_submission(make_answers(1)[1:]), "it has 59 rows; 60 are expected"),
    "a climbing name": (pack({"../answer.txt": "0\n"}), "use plain names"),
    "nothing": (b"", "the file is empty"),
    "no text": (b"\xff\xfe\x00", "not UTF-8"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_without_a_label(coins: Imported, name: str) -> None:
    content, told = BAD[name]
    with pytest.raises(SubmissionError) as refusal:
        coins.competition.scorer.read(content)
    assert told in str(refusal.value)


GOES_WRONG = {
    "it writes nothing": ("pass", "it wrote neither scores.json nor scores.txt"),
    "it fails": ("sys.exit('label 7')", "label 7"),
    "another score": (
        "(output / 'scores.txt').write_text('other: 1')",
        'score = "accuracy" is not among the scores: other',
    ),
    "NaN": ("(output / 'scores.json').write_text('{\"accuracy\": NaN}')", "accuracy is nan"),
    "it hangs": ("while True: pass", "was ended by signal"),
    "it connects": ("import socket; socket.create_connection(('127.0.0.1', 9), 2)", "Error"),
    "it reads files of the server": (f"open({str(Path(__file__))!r})", "FileNotFoundError"),
}
"""What a program does with answers that begin with x, and what the organiser is told."""


@pytest.fixture(scope="module")
def moody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Imported]:
    if find_obstacle() is not None:
        pytest.skip("there is no sandbox here")
    folder = tmp_path_factory.mktemp("moody")
    cases = "".join(
        f"    if given[0] == 'x{n}':\n        {does}\n        return\n"
        for n, (does, _) in enumerate(GOES_WRONG.values())
    )
    bundle = make_bundle(folder / "bundle", program=PROGRAM.replace("    right =", cases + "    right ="))
    imported = take(folder / "taken", bundle)
    imported.competition.rows_scorer.child._source.__dict__["time_limit"] = 2.0  # type: ignore[union-attr]
    yield imported
    imported.competition.scorer.close()


@pytest.mark.parametrize("name", GOES_WRONG)
def test_what_goes_wrong_is_no_score_and_told_to_the_organiser_alone(
    moody: Imported, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    content = make_submission([f"x{list(GOES_WRONG).index(name)}"] * N)
    with pytest.raises(UndefinedMetricError) as refusal:
        score(moody, content)
    assert str(refusal.value) == "the metric's function gives no value for these predictions"
    assert GOES_WRONG[name][1] in caplog.text


@needs_sandbox
def test_a_challenge_of_evalai_is_taken_with_its_function(tmp_path: Path) -> None:
    imported = take(tmp_path / "taken", make_challenge(tmp_path / "challenge"))
    rules = imported.competition.rules
    assert (rules.title, rules.metric, rules.limits.per_day) == ("Coins", "Total", 3)
    answers = {f"c{n}": int(one) for n, one in reversed(list(enumerate(make_answers(0.6))))}
    right = np.mean([int(one) == answers[f"c{n}"] for n, one in enumerate(make_labels())])
    assert score(imported, json.dumps(answers).encode()) == 100 * right
    with pytest.raises(SubmissionError, match="1 items are missing and 0 are unknown"):
        imported.competition.scorer.read(json.dumps({k: v for k, v in answers.items() if k != "c3"}).encode())
    imported.competition.scorer.close()


def test_a_kaggle_folder_is_taken_with_its_notebook(tmp_path: Path) -> None:
    folder = make_whales(tmp_path / "whales")
    cells = [
        {"cell_type": "markdown", "source": ["# A metric"]},
        {"cell_type": "code", "source": METRIC.splitlines(True)},
    ]
    (folder / "metric.ipynb").write_text(json.dumps({"cells": [*cells, {"cell_type": "code", "source": "%time 1"}]}))
    (folder / "metric.py").unlink()
    (folder / "competition.toml").unlink()
    (folder / "train.csv").write_text("id,length\nt1,7\n")
    imported = take(tmp_path / "taken", folder, lower_is_better=True)
    assert imported.competition.metric.lower_is_better
    assert (tmp_path / "taken/data/train.csv").is_file()
    assert not (tmp_path / "taken/data/solution.csv").exists()
    assert score(imported, make_rows([15.0] * 200)) > 0
    imported.competition.scorer.close()


def test_a_repository_of_hugging_face_is_taken(tmp_path: Path) -> None:
    from sklearn.metrics import roc_auc_score

    source = tmp_path / "repository"
    source.mkdir()
    labels = [int(one) for one in make_labels()]
    rows = "".join(f"{n},{one},{'public' if n % 2 else 'private'}\n" for n, one in enumerate(labels))
    (source / "solution.csv").write_text("id,pred,split\n" + rows)
    settings = {
        "COMPETITION_TYPE": "generic", "SUBMISSION_LIMIT": 4, "END_DATE": "2999-05-25", "EVAL_HIGHER_IS_BETTER": 1,
        "SUBMISSION_ID_COLUMN": "id", "SUBMISSION_COLUMNS": "id,pred", "EVAL_METRIC": "roc_auc_score", "LOGO": "x.png",
    }  # fmt: skip
    (source / "conf.json").write_text(json.dumps(settings))
    imported = take(tmp_path / "taken", source)
    given = np.random.default_rng(3).normal(size=N)
    content = ("id,pred\n" + "".join(f"{n},{one!r}\n" for n, one in enumerate(given.tolist()))).encode()
    assert score(imported, content) == roc_auc_score(labels, given)
    assert imported.competition.rules.limits.per_day == 4
    assert imported.left == ("LOGO",)
    imported.competition.scorer.close()


def _link(bundle: Path) -> None:
    (bundle / "mine").symlink_to("/etc/passwd")


def _climb(bundle: Path) -> None:
    (bundle / "competition.yaml").write_text(COMPETITION.replace("last.zip", "../../secret"))


def _instantiate(bundle: Path) -> None:
    (bundle / "competition.yaml").write_text("title: !!python/object/apply:os.system ['true']\n")


def _opaque(bundle: Path) -> None:
    (bundle / "last.zip").write_bytes(pack({"truth.txt": "3.14159\n"}))


REFUSED = {
    "a link": (_link, "mine is a link"),
    "a path that climbs out": (_climb, "lies outside of it"),
    "YAML that runs code": (_instantiate, "is not YAML"),
    "one number for everything": (_opaque, "has no standard error, so no mechanism could tell a gain from luck"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_could_do_harm_or_cannot_be_judged_is_refused(tmp_path: Path, name: str) -> None:
    bundle = make_bundle(tmp_path / "bundle")
    change, told = REFUSED[name]
    change(bundle)
    with pytest.raises(InputError) as refusal:
        take(tmp_path / "taken", bundle)
    assert told in str(refusal.value)
    assert not (tmp_path / "taken").exists()


def test_an_unknown_folder_is_refused_with_what_is_known(tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle/readme.txt").write_text("nothing")
    with pytest.raises(InputError, match=r"it has no competition.yaml \(Codabench, CodaLab\)"):
        take(tmp_path / "taken", tmp_path / "bundle")
