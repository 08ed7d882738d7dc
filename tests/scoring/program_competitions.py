"""A small competition with the scoring program of another platform: lines of the reference, lines of answers."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

N = 60
PROGRAM = """
import sys
from pathlib import Path

from reading import read


def main():
    source, output = Path(sys.argv[1]), Path(sys.argv[2])
    truth, given = read(source / "ref" / "truth.txt"), read(source / "res" / "answer.txt")
    assert len(truth) == len(given)
    print("labels:", truth[:3])
    right = sum(a == b for a, b in zip(truth, given)) / len(truth)
    (output / "scores.txt").write_text(f"accuracy: {right!r}\\nerror: {1 - right!r}\\n")


main()
"""
READING = "def read(path):\n    return path.read_text().split()\n"
COMPETITION = """
version: 2
title: Coins
description: Which side is up?
docker_image: someone/something
pages:
  - title: Overview
    file: overview.md
  - title: Rules
    file: pages/rules.html
phases:
  - name: First
    start: 2020-01-01
    end: 2020-12-31
    tasks: [0]
  - name: Last
    start: 2021-01-01
    end: 2999-12-31
    max_submissions_per_day: 7
    tasks: [1]
tasks:
  - {index: 0, reference_data: first/, scoring_program: program/}
  - {index: 1, reference_data: last.zip, scoring_program: program/}
leaderboards:
  - title: Results
    columns:
      - {title: Accuracy, key: accuracy, index: 0, sorting: desc}
      - {title: Error, key: error, index: 1, sorting: asc}
"""
EVALUATE = """
import json


def evaluate(test_annotation_file, user_submission_file, phase_codename, **kwargs):
    with open(test_annotation_file) as truth, open(user_submission_file) as given:
        labels, answers = json.load(truth), json.load(given)
    right = sum(answers[name] == label for name, label in labels.items()) / len(labels)
    assert phase_codename == "test"
    return {"result": [{"test_split": {"Accuracy": right, "Total": 100 * right}}], "submission_result": {}}
"""
CHALLENGE = """
title: Coins
short_description: Which side is up?
description: templates/description.html
evaluation_script: evaluation_script.zip
leaderboard:
  - id: 1
    schema: {labels: [Accuracy, Total], default_order_by: Total}
challenge_phases:
  - {id: 1, name: Dev, codename: dev, test_annotation_file: annotations/dev.json}
  - {id: 2, name: Test, codename: test, test_annotation_file: annotations/test.json, max_submissions_per_day: 3,
     end_date: 2999-01-01 00:00:00}
"""


def make_labels(seed: int = 0) -> list[str]:
    """The labels."""
    return [str(one) for one in np.random.default_rng(seed).integers(0, 2, N)]


def make_answers(share: float, *, seed: int = 1) -> list[str]:
    """Answers of which this share is surely right."""
    rng = np.random.default_rng(seed)
    return [one if rng.random() < share else str(rng.integers(0, 2)) for one in make_labels()]


def pack(files: Mapping[str, str]) -> bytes:
    """A zip of these files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def make_submission(answers: list[str]) -> bytes:
    """A zip with the answers, a line each."""
    return pack({"answer.txt": "\n".join(answers) + "\n"})


def make_bundle(folder: Path, *, program: str = PROGRAM, settings: str = COMPETITION) -> Path:
    """A bundle as Codabench takes it."""
    for name in ("program", "first", "pages"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "competition.yaml").write_text(settings)
    (folder / "overview.md").write_text("Look at the coin.\n")
    (folder / "pages/rules.html").write_text("<html><style>p {}</style><h1>Rules</h1><p>Be <b>fair</b>.</p></html>")
    (folder / "program/metadata.yaml").write_text("command: python3 $program/score.py $input $output\n")
    (folder / "program/score.py").write_text(program)
    (folder / "program/reading.py").write_text(READING)
    (folder / "first/truth.txt").write_text("0\n" * N)
    (folder / "last.zip").write_bytes(pack({"truth.txt": "\n".join(make_labels()) + "\n"}))
    (folder / "sample_submission.zip").write_bytes(make_submission(["0", "1"] * (N // 2)))
    return folder


def make_challenge(folder: Path) -> Path:
    """A challenge as EvalAI takes it."""
    (folder / "annotations").mkdir(parents=True)
    (folder / "templates").mkdir()
    (folder / "challenge_config.yaml").write_text(CHALLENGE)
    (folder / "templates/description.html").write_text("<p>Look at the coin.</p>")
    (folder / "evaluation_script.zip").write_bytes(pack({"main.py": EVALUATE, "__init__.py": ""}))
    rows = ", ".join(f'"c{n}": {one}' for n, one in enumerate(make_labels()))
    (folder / "annotations/test.json").write_text(f"{{{rows}}}")
    sample = ", ".join(f'"c{n}": {n % 2}' for n in range(N))
    (folder / "sample_submission.json").write_text(f"{{{sample}}}")
    return folder
