import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner, Result

from ladderboard.analysis.replay import Submission, list_replayed, replay
from ladderboard.analysis.solutions import read_solution
from ladderboard.analysis.submission_files import read_submission_files, read_submission_table
from ladderboard.cli.main import cli
from ladderboard.metrics import METRICS
from tests.shared_data import shared_data

N = 400
SKILL = {"[ours]": (0.3, 0.1), "theirs": (0.2, 0.25), "guess": (0.5, 0.5)}
"""The error rates of each team's first and second submission."""


@dataclass(frozen=True, eq=False)
class Competition:
    """Files in a folder, and what they hold."""

    folder: Path
    submissions: list[Submission]
    labels: npt.NDArray[np.int64]
    public: npt.NDArray[np.bool_]

    @property
    def arguments(self) -> tuple[object, ...]:
        return self.folder / "solution.csv", self.folder / "submissions", "--metric", "error_rate"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["replay", *(str(argument) for argument in arguments)])


def refusal(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.output.startswith("Error: ")
    return result.output.removeprefix("Error: ").strip()


@pytest.fixture
def competition(tmp_path: Path) -> Competition:
    """Write solution.csv, a folder of submissions and one wide table with an index; return what they hold."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, N)
    usage = np.array(["Public", "Private", "Ignored"])[np.arange(N) % 5 % 3]
    ids = rng.permutation(N) + 1000
    rows = [f"{i},{label},{part}" for i, label, part in zip(ids, y, usage, strict=True)]
    (tmp_path / "solution.csv").write_text("\n".join(["id,label,Usage", *rows]) + "\n")
    folder = tmp_path / "submissions"
    folder.mkdir()
    files, wide, submissions = ["file,team,time"], {}, []
    for number, (team, round_) in enumerate((team, round_) for round_ in range(2) for team in SKILL):
        p = np.where(rng.random(N) < SKILL[team][round_], 1 - y, y)
        order = rng.permutation(N)
        lines = [f"{ids[i]},{p[i]}" for i in order]
        (folder / f"{number}.csv").write_text("\n".join(["id,prediction", *lines]) + "\n")
        files.append(f"{number}.csv,{team},2024-01-0{number + 1}")
        wide[f"s{number}"] = p
        submissions.append(Submission(team, number, p[usage != "Ignored"]))
    (folder / "index.csv").write_text("\n".join(files) + "\n")
    table = [",".join(map(str, row)) for row in zip(ids, *wide.values(), strict=True)]
    (tmp_path / "wide.csv").write_text("\n".join(["id," + ",".join(wide), *table]) + "\n")
    index = [f"{number},{one.team},{number}" for number, one in enumerate(submissions)]
    (tmp_path / "teams.csv").write_text("\n".join(["submission_id,team,order", *reversed(index)]) + "\n")
    kept = usage != "Ignored"
    return Competition(tmp_path, submissions, y[kept], usage[kept] == "Public")


def test_a_folder_and_a_wide_table_give_what_the_library_gives(competition: Competition) -> None:
    public = competition.public
    expected = replay(competition.submissions, competition.labels, "error_rate", public=public)
    result = run(*competition.arguments, "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.output)
    wide = ("--index", competition.folder / "teams.csv", "--metric", "error_rate", "--json")
    assert json.loads(run(competition.folder / "solution.csv", competition.folder / "wide.csv", *wide).output) == report
    assert (report["metric"], report["leader"]) == ("error_rate", "[ours]")
    assert (report["public_items"], report["private_items"]) == (public.sum(), (~public).sum())
    assert list(report["boards"]) == list(list_replayed())
    for name, board in expected.boards.items():
        told = report["boards"][name]
        assert told["rank_correlation"] == pytest.approx(board.rank_correlation)
        for row, one in zip(told["teams"], board.teams, strict=True):
            assert (row["team"], row["public_rank"], row["private_rank"]) == (
                one.team,
                one.public_rank,
                one.private_rank,
            )
            assert (row["public_value"], row["accepted"]) == (one.public_value, one.accepted)
            assert row["private_value"] == pytest.approx(one.private_value)
            assert row["rank_change"] == expected.rank_changes(name)[one.team]
    assert [one["adjusted_p_value"] for one in report["top"]] == [one.adjusted_p_value for one in expected.top]
    assert report["sentence"] == expected.sentence()


def test_the_boards_are_shown_with_ranks_changes_and_a_sentence(competition: Competition) -> None:
    result = run(*competition.arguments, "--mechanism", "witness_ladder")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == "full disclosure"
    assert lines[1].split() == [
        *("rank", "change", "team", "public", "private", "private", "rank", "submissions", "accepted")
    ]
    assert lines[2].split()[:3] == ["1", "=", "[ours]"]
    assert "witness ladder" in lines
    assert "compared with the private leader, [ours]" in lines
    assert lines[-2].startswith("Rank correlation of public and private board: full_disclosure ")
    shorter = run(*competition.arguments, "--mechanism", "witness_ladder", "--top", 1).output
    assert "… and 2 more teams" in shorter
    assert len(shorter.splitlines()) < len(lines)


def test_full_disclosure_is_always_there_to_compare_with(competition: Competition) -> None:
    report = json.loads(run(*competition.arguments, "--mechanism", "ladder", "--json").output)
    assert list(report["boards"]) == ["full_disclosure", "ladder"]


def test_a_share_splits_by_class_and_by_seed(competition: Competition) -> None:
    solution = competition.folder / "plain.csv"
    rows = [line.rsplit(",", 1)[0] for line in (competition.folder / "solution.csv").read_text().splitlines()]
    solution.write_text("\n".join(rows) + "\n")
    arguments = (
        solution,
        competition.folder / "submissions",
        "--metric",
        "error_rate",
        "--json",
        "--mechanism",
        "ladder",
    )
    first, again, other = (
        json.loads(run(*arguments, "--public-share", 0.25, "--seed", seed).output) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert first["public_items"] == pytest.approx(N / 4, abs=2)
    read = read_solution(solution)
    public = read.public(share=0.25, metric=METRICS["error_rate"], seed=1)
    assert read.labels[public].mean() == pytest.approx(read.labels.mean(), abs=0.02)


def test_class_probabilities_take_several_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    (tmp_path / "solution.csv").write_text(
        "id,label,Usage\n" + "".join(f"{i},{'abc'[c]},{'Public' if i < 45 else 'Private'}\n" for i, c in enumerate(y))
    )
    p = np.full((90, 3), 0.1)
    p[np.arange(90), y] = 0.8
    (tmp_path / "one.csv").write_text("id,a,b,c\n" + "".join(f"{i},{r[0]},{r[1]},{r[2]}\n" for i, r in enumerate(p)))
    (tmp_path / "index.csv").write_text("file,team,time\none.csv,us,1\n")
    result = run(tmp_path / "solution.csv", tmp_path, "--metric", "log_loss", "--mechanism", "witness_ladder", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.output)
    assert report["boards"]["full_disclosure"]["teams"][0]["public_value"] == pytest.approx(-np.log(0.8), abs=1e-5)
    assert report["boards"]["full_disclosure"]["rank_correlation"] is None


def test_a_figure_has_a_panel_for_each_mechanism(competition: Competition) -> None:
    path = competition.folder / "slopes.svg"
    result = run(*competition.arguments, "--figure", path)
    assert result.exit_code == 0, result.output
    text = "".join(ElementTree.parse(path).getroot().itertext())
    for words in ("full disclosure", "witness ladder", "[ours]", "public", "private"):
        assert words in text


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (("submissions/2.csv", "\n1007,", "\n1008,"), "2.csv has more than one row for the id 1008"),
        (("submissions/2.csv", "\n1007,", "\n9999,"), "2.csv has no row for the id 1007"),
        (("submissions/2.csv", "ion\n", "ion\n5,1\n"), "2.csv has unexpected rows: the id 5"),
        (("submissions/index.csv", "2.csv,", "x.csv,"), "index.csv, line 4: there is no file x.csv in"),
        (("submissions/index.csv", "2024-01-03", "soon"), "'soon' is neither a number nor a date"),
        (("submissions/index.csv", "team,", "who,"), "no column says the team (team); name it"),
        (("submissions/index.csv", "guess,", ","), "index.csv, line 4, column 'team': the cell is empty"),
        (("solution.csv", "\n1007,", "\n1008,"), "solution.csv has more than one row for the id 1008"),
        (("solution.csv", "label,Usage", "a,b"), "solution.csv: which column has the labels? Name it; there are: a, b"),
        (("solution.csv", "Usage", "part"), "solution.csv does not say which rows are public"),
        (("solution.csv", ",Public", ",Pubic"), "'pubic' is none of Public, Private and Ignored"),
    ],
)
def test_files_that_do_not_fit_are_refused_with_the_place(
    competition: Competition, edit: tuple[str, str, str], message: str
) -> None:
    path = competition.folder / edit[0]
    text = path.read_text()
    assert edit[1] in text
    path.write_text(text.replace(edit[1], edit[2], 1))
    assert message in refusal(*competition.arguments)


def test_a_prediction_that_cannot_be_read_names_its_submission(competition: Competition) -> None:
    path = competition.folder / "submissions" / "1.csv"
    head, first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([head, first[:-1] + "7", *rest]) + "\n")
    assert refusal(*competition.arguments).startswith("submission of theirs at 2024-01-02: row ")


def test_the_public_part_is_never_guessed(competition: Competition) -> None:
    assert "says itself which rows are public" in refusal(*competition.arguments, "--public-share", 0.5)
    solution = competition.folder / "plain.csv"
    solution.write_text("id,label\n" + "".join(f"{i},{i % 2}\n" for i in range(20)))
    message = refusal(solution, competition.folder / "submissions", "--metric", "error_rate")
    assert "has no row for" in message or "does not say which rows are public" in message
    wide = (solution, competition.folder / "wide.csv", "--metric", "error_rate")
    assert "is a single table; give --index" in refusal(*wide)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--metric", "acuracy"), "did you mean accuracy?"),
        (("--mechanism", "lader"), "did you mean ladder?"),
        (("--id-column", "row"), "solution.csv has no column 'row'"),
        (("--team-column", "crew"), "index.csv has no column 'crew'"),
        (("--prediction-column", "p"), "0.csv has no column 'p'"),
        (("--index", "nowhere.csv"), "there is no file nowhere.csv"),
        (("--figure", "slopes.gif"), "the name of a figure must end in"),
    ],
)
def test_options_that_do_not_fit_are_refused(competition: Competition, options: tuple[str, ...], message: str) -> None:
    assert message in refusal(*competition.arguments, *options)


def test_columns_of_a_wide_table_may_share_a_prefix_and_no_other_difference(competition: Competition) -> None:
    solution = read_solution(competition.folder / "solution.csv")
    found = read_submission_table(competition.folder / "wide.csv", competition.folder / "teams.csv", solution)
    by_file = read_submission_files(
        competition.folder / "submissions", competition.folder / "submissions" / "index.csv", solution
    )
    for one, other in zip(sorted(found, key=lambda one: int(one.time)), by_file, strict=True):
        assert one.team == other.team
        assert np.array_equal(one.predictions, other.predictions)
    (competition.folder / "teams.csv").write_text("submission_id,team,order\n1,us,1\n17,us,2\n")
    arguments = (
        competition.folder / "solution.csv",
        competition.folder / "wide.csv",
        "--index",
        competition.folder / "teams.csv",
    )
    assert refusal(*arguments, "--metric", "error_rate") == "teams.csv, line 3: wide.csv has no column 's17'"


def test_help_has_an_example() -> None:
    assert "ladderboard replay solution.csv submissions/" in run("--help").output


def test_semeval_2018_is_replayed_from_its_files() -> None:
    folder = shared_data("semeval2018_arct")
    command = [str(Path(sys.executable).with_name("ladderboard")), "replay", *(str(folder / "predictions.csv.gz"),) * 2]
    options = ["--index", str(folder / "submissions.csv"), "--metric", "accuracy", "--public-share", "0.5", "--json"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert report["public_items"] + report["private_items"] == 444
    assert report["leader"] == "GIST"
    for board in report["boards"].values():
        assert len(board["teams"]) == 23
        assert board["teams"][0]["team"] == "GIST"
    # Each team of this task submitted once: full disclosure shows the score itself.
    accepted = [row["accepted"] for row in report["boards"]["full_disclosure"]["teams"]]
    assert accepted == [1] * 23


def test_what_a_replay_cannot_say_is_said_and_probing_is_flagged(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    labels = rng.integers(0, 2, N)
    probe = rng.integers(0, 2, N)
    (tmp_path / "submissions").mkdir()
    rows = ["file,team,time"]
    for number in range(8):
        probe[number] ^= 1
        text = "id,prediction\n" + "".join(f"{i},{value}\n" for i, value in enumerate(probe))
        (tmp_path / "submissions" / f"{number}.csv").write_text(text)
        rows.append(f"{number}.csv,prober,{number}")
    (tmp_path / "submissions" / "index.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "solution.csv").write_text("id,label\n" + "".join(f"{i},{value}\n" for i, value in enumerate(labels)))
    arguments = (tmp_path / "solution.csv", tmp_path / "submissions", "--metric", "error_rate", "--public-share", 0.5)
    result = run(*arguments, "--mechanism", "ladder")
    assert result.exit_code == 0, result.output
    assert "The submissions were made for the board that their teams saw" in result.output
    assert "ladderboard lab attack" in result.output
    assert "prober: 8 submissions in a row differ in at most 1 rows" in result.output
    report = json.loads(run(*arguments, "--mechanism", "ladder", "--json").output)
    assert report["probing"] == [{"team": "prober", "submissions": 8, "most_rows": 1}]
