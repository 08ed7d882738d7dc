from pathlib import Path

import pytest

from ladderboard.competition import load_competition, solution_digest
from tests.competition.folders import TOML, solution_csv, write_folder

METRIC = "[metric]\nfile = 'metric.py'\nlower_is_better = true\ntakes = 'classes'\n"
SOURCE = "def score(y, p):\n    return float((y != p).mean())\n"


def digest(folder: Path, toml: str = TOML, solution: str | None = None, **files: str) -> str:
    return solution_digest(load_competition(write_folder(folder, toml, solution, **files)))


def with_line(number: int, text: str) -> str:
    lines = solution_csv().splitlines()
    lines[number] = text
    return "\n".join(lines)


@pytest.mark.parametrize(
    "solution",
    [
        with_line(1, "0,1,Private"),
        with_line(1, "0,0,Public"),
        with_line(1, "9999,0,Private"),
        "\n".join(solution_csv().splitlines()[:-1]),
        solution_csv().replace("id,label", "id,target"),
    ],
)
def test_a_changed_label_split_id_or_row_changes_it(tmp_path: Path, solution: str) -> None:
    assert solution_csv().splitlines()[1] == "0,0,Private"
    assert digest(tmp_path / "changed", TOML, solution) != digest(tmp_path / "before")


@pytest.mark.parametrize(
    "toml",
    [
        TOML.replace("accuracy", "error_rate"),
        TOML + "mechanism = 'spending_ladder'\n",
        TOML + "board = 'rank'\n",
        TOML + "[mechanism]\nalpha = 0.01\n",
    ],
)
def test_a_changed_metric_mechanism_or_board_changes_it(tmp_path: Path, toml: str) -> None:
    assert digest(tmp_path / "changed", toml) != digest(tmp_path / "before")


def test_titles_limits_and_the_order_of_rows_do_not(tmp_path: Path) -> None:
    lines = solution_csv().splitlines()
    toml = TOML.replace("Whales", "Dolphins") + "deadline = 2030-01-01T00:00:00\n[limits]\nper_day = 1\n"
    assert digest(tmp_path / "a", toml, "\n".join([lines[0], *sorted(lines[1:])])) == digest(tmp_path / "b")


def test_a_changed_metric_file_changes_it_and_its_time_limit_does_not(tmp_path: Path) -> None:
    toml = TOML.replace('metric = "accuracy"\n', "") + METRIC
    before = digest(tmp_path / "a", toml, metric__py=SOURCE)
    assert digest(tmp_path / "b", toml, metric__py=SOURCE + "# changed\n") != before
    assert digest(tmp_path / "c", toml + "time_limit = 7\n", metric__py=SOURCE) == before


def test_the_digest_is_pinned_for_all_time(tmp_path: Path) -> None:
    # Ledgers commit to it: a version that computed another one could verify no old competition.
    as_then = TOML + "[mechanism]\ngate_share = 0.5\n"
    pinned = "8cbf08dfe0494107bb444d43b62c3d46f9b7ec2df40e9c2c8721df50e6e17778"
    assert digest(tmp_path, as_then, solution_csv(1600)) == pinned
