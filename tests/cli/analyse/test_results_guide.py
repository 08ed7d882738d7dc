"""The guides from a folder of results to a comparison: every command in them runs, and says what the guide says."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from ladderboard.cli.main import cli
from tests.evals.readers.written import inspect_log, write_inspect, write_lm_eval

GUIDES = Path(__file__).parents[3] / "docs" / "guide"
GUIDE = GUIDES / "results.md"
TEXT = GUIDE.read_text() + (GUIDES / "compare.md").read_text()
BLOCKS = re.findall(r"```text\n(\$ ladderboard .*?)```", TEXT, flags=re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders and the table that the guide speaks of."""
    place = tmp_path_factory.mktemp("guide")
    rng = np.random.default_rng(11)
    hard = rng.normal(0, 1.5, 300)
    for number, model in enumerate(("org/small", "org/medium", "org/large", "other/large")):
        right = (rng.random(300) < 1 / (1 + np.exp(hard - 0.5 * number))).astype(float).tolist()
        date = f"2026-0{number + 1}-01T10-00-00.5"
        for task, part in (("arc", right[:200]), ("boolq", right[200:])):
            write_lm_eval(place / "lm-eval-results", model, {"acc": part, "acc_norm": part}, task=task, date=date)
        grades = {f"q{item}": ["C" if right[item] else "I", "C" if right[item + 1] else "I"] for item in range(100)}
        write_inspect(place / "logs" / f"{number}.eval", inspect_log(model, grades))
    table = re.search(r"```csv\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)
    assert table is not None
    (place / "answers.csv").write_text(table[1])
    return place


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[0][2:60])
def test_a_command_of_the_guide_says_what_the_guide_says(
    block: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    command, *expected = block.replace("\\\n", " ").splitlines()
    result = CliRunner().invoke(cli, shlex.split(command)[2:])
    said = [" ".join(line.split()) for line in result.output.splitlines()]
    missing = [line for line in expected if line not in ("…", "") and " ".join(line.split()) not in said]
    assert not missing, result.output


def test_the_guide_has_commands_for_each_kind_of_results() -> None:
    assert len(BLOCKS) >= 6
    assert all(any(name in block for block in BLOCKS) for name in ("lm-eval-results", "logs", "answers.csv"))
