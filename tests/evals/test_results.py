"""Results of any kind: what a file or folder is recognised as, long tables, battles, boards."""

import contextlib
import json
import random
from pathlib import Path

import pytest

from ladderboard.core.errors import InputError
from ladderboard.evals import Battles, Board, LossMatrix, read_matrix_results, read_results
from tests.evals.readers.written import (
    inspect_log,
    write_eee,
    write_helm,
    write_inspect,
    write_json,
    write_lm_eval,
    write_swe_report,
)

LONG = "item,system,score,task,group,repeat\n" + "".join(
    f"q{item},{system},{score},t{item // 2},g{item % 2},{repeat}\n"
    for item in range(4)
    for system, score in (("ours", item % 2), ("theirs", 1))
    for repeat in (1, 2)
)


def write(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_long_table_has_tasks_groups_and_repeats(tmp_path: Path) -> None:
    matrix = read_results(write(tmp_path, LONG), kind="correct", constant=True)
    assert isinstance(matrix, LossMatrix)
    assert matrix.systems == ("ours", "theirs")
    assert matrix.losses.T.tolist() == [[1, 0, 1, 0], [0, 0, 0, 0]]
    assert matrix.tasks == ("t0", "t0", "t1", "t1")
    assert matrix.groups == ("g0", "g1", "g0", "g1")
    assert matrix.repeats is not None
    assert matrix.repeats.counts.tolist() == [[2, 2]] * 4
    assert "items from 'item', systems from 'system', scores from 'score', tasks from 'task'" in matrix.notes[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,system,score\na,s,1\na,t,0\nb,s,1\nb,t,1\n", r"holds only 0 and 1 \(score\).*--kind correct"),
        ("item,system,score\na,s,1.5\na,t,0\nb,s,1\nb,t,1\n", r"\(score\): say --higher-is-better"),
        ("item,model,correct\na,s,1\na,s,0\n", "line 2 and line 3: two scores of 's' for item 'a'; give repeats"),
        ("item,model,loss,f1\na,s,1,1\nb,s,0,0\n", "several columns of scores: loss, f1; .*--metric loss"),
        ("item,model,correct\na,s,1\na,t,0\nb,s,1\n", "'t' has no score for item 'b'"),
    ],
)
def test_a_long_table_that_could_be_misread_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_results(write(tmp_path, text))


def test_the_name_of_a_score_tells_its_direction(tmp_path: Path) -> None:
    text = "id,model,{}\na,s,1\na,t,0\nb,s,0\nb,t,1\n"
    correct = read_results(write(tmp_path, text.format("correct")))
    loss = read_results(write(tmp_path, text.format("loss")))
    assert isinstance(correct, LossMatrix)
    assert isinstance(loss, LossMatrix)
    assert correct.losses.tolist() == (1 - loss.losses).tolist()


def test_battles_are_names_or_columns_or_ties(tmp_path: Path) -> None:
    text = "question_id,model_a,model_b,winner,turn\n1,x,y,model_a,1\n2,y,x,y,1\n3,z,x,tie (both),1\n4,x,z,model_b,1\n"
    battles = read_results(write(tmp_path, text))
    assert isinstance(battles, Battles)
    assert battles.systems == ("x", "y", "z")
    assert battles.outcomes.tolist() == [1, 1, 0.5, 0]
    assert battles.first.tolist() == [0, 1, 2, 0]
    assert battles.items == ("1", "2", "3", "4")
    assert battles.notes[1] == "left out 1 column ('turn'): nothing is read from it"
    with pytest.raises(InputError, match=r"csv, line 2, column 'winner': 'q' is neither 'x', 'y', 'a', 'b' nor tie"):
        read_results(write(tmp_path, "item,a,b,winner\n1,x,y,q\n"))
    with pytest.raises(InputError, match="'x' is compared with itself"):
        read_results(write(tmp_path, "item,a,b,winner\n1,x,x,a\n"))


def test_kaggles_leaderboard_is_a_board_in_the_order_of_time(tmp_path: Path) -> None:
    text = (
        "\ufeffRank,TeamId,TeamName,LastSubmissionDate,Score,SubmissionCount,TeamMemberUserNames\n"
        '1,7,first,2024-05-03 10:00:00,0.91,9,"a,b"\n2,8,second,2024-05-01 10:00:00,0.90,3,c\n'
    )
    path = write(tmp_path, text, "board-publicleaderboard.csv")
    board = read_results(path)
    assert isinstance(board, Board)
    assert board.teams == ("second", "first")
    with pytest.raises(InputError, match=r"board of 2 scores without items; .* --score-column Score --test-size N"):
        read_matrix_results(path)
    old = read_results(
        write(
            tmp_path, "TeamId,TeamName,SubmissionDate,Score\n7,a,2013-10-05,.8\n7,a,2013-10-08,.9\n8,b,2013-10-06,.7\n"
        )
    )
    assert isinstance(old, Board)
    assert old.scores.tolist() == [0.8, 0.7, 0.9]
    assert "3 entries of 2 teams" in old.notes[0]


def test_what_is_not_understood_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no results that are understood; these are: lm-evaluation-harness"):
        read_results(write_json(tmp_path / "a" / "x.json", {"hello": 1}))
    with pytest.raises(InputError, match="there is no file or folder"):
        read_results(tmp_path / "absent")
    write(tmp_path / "a", "x,y\n1,2\n", "one.csv")
    write(tmp_path / "a", "x,y\n1,2\n", "two.csv")
    with pytest.raises(InputError, match=r"holds 2 tables \(one.csv, two.csv, …\); give one file"):
        read_results(tmp_path / "a")


def test_two_harnesses_in_one_folder_are_refused(tmp_path: Path) -> None:
    write_lm_eval(tmp_path / "a", "one", {"acc": [1.0, 0.0]})
    write_inspect(tmp_path / "b.eval", inspect_log("two", {"q0": ["C"], "q1": ["I"]}))
    with pytest.raises(
        InputError, match=r"holds lm-evaluation-harness samples \(.*\) and Inspect logs \(b.eval\); give one"
    ):
        read_results(tmp_path)


def test_systems_are_chosen_or_left_out_by_name(tmp_path: Path) -> None:
    for model in ("one", "two", "three"):
        write_lm_eval(tmp_path, model, {"acc": [1.0, 0.0]})
    assert set(read_matrix_results(tmp_path, drop=["two"]).systems) == {"one", "three"}
    assert read_matrix_results(tmp_path, systems=["two"]).systems == ("two",)
    with pytest.raises(InputError, match="no system is called four; there are one, three, two"):
        read_results(tmp_path, drop=["four"])


def damage(value: object, rng: random.Random) -> object:
    """The same with one key lost or one value of another kind, somewhere."""
    if isinstance(value, dict) and value:
        key = rng.choice(sorted(value))
        if rng.random() < 0.4:
            return {name: one for name, one in value.items() if name != key}
        return {**value, key: damage(value[key], rng)}
    if isinstance(value, list) and value:
        place = rng.randrange(len(value))
        return [damage(one, rng) if number == place else one for number, one in enumerate(value)]
    return rng.choice([None, "text", 7, [], {}])


@pytest.mark.parametrize("seed", range(20))
def test_damaged_files_are_refused_in_words_or_read(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    write_lm_eval(tmp_path / "lm", "one", {"acc": [1.0, 0.0]})
    write_helm(tmp_path / "helm", "org/one", [1, 0])
    write_swe_report(tmp_path / "swe", "one", ["a"], ["b"])
    write_eee(tmp_path / "eee", "one", [1.0, 0.0], lower_is_better=False)
    write_json(tmp_path / "inspect" / "log.json", inspect_log("one", {"q0": ["C"], "q1": ["I"]}))
    for path in [path for path in tmp_path.rglob("*.json*") if path.is_file()]:
        lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
        lines = [json.dumps(damage(json.loads(line), rng)) for line in lines]
        path.write_text("\n".join(lines) + "\n")
    for name in ("lm", "helm", "swe", "eee", "inspect"):
        with contextlib.suppress(InputError):
            read_results(tmp_path / name, constant=True)
