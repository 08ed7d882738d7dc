"""Tables as spreadsheets, R, pandas and arenas write them: read right, or refused in one sentence."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ladderboard.core.errors import LadderboardError
from ladderboard.evals import Battles, Board, LossMatrix, read_results
from ladderboard.tabular import read_table

HIGHER = {"higher_is_better": True}
CORRECT = {"kind": "correct"}


def write(folder: Path, text: str, name: str = "table.csv") -> Path:
    (folder / name).write_text(text)
    return folder / name


def find_refusal(path: Path, **options: object) -> str:
    with pytest.raises(LadderboardError) as refusal:
        read_results(path, **options)  # type: ignore[arg-type]
    return str(refusal.value)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("5,3,6\n1,2,7\n6,4,2\n", HIGHER, "line 1: the names of the systems are numbers (5, 3, 6)"),
        ("2e-01,3e-01\n4e-01,1e-01\n", HIGHER, "line 1: the names of the systems are numbers"),
        ("87%,90%\n80%,91%\n", HIGHER, "line 1: the names of the systems are numbers"),
        ("pass,fail\nfail,pass\n", {}, "line 1: the names of the systems"),
        ("1,1,0\n0,1,1\n", CORRECT, "line 1: the first line holds numbers (1, 1, 0); put a line with the names"),
        ("Results,,\nitem,a,b\nx,1,0\n", CORRECT, "line 1: 2 columns have no name; delete a title above the names"),
        (",b,c\n.91,.3,.2\n.4,.1,.8\n", HIGHER, "a column without a name does not count the rows"),
        ("item,q1,q2,q3\nx,1,0,1\ny,0,1,1\n", CORRECT, "columns 'q1' and 'q2' are named like items"),
        (",0,1,2\ngpt,1,0,1\nllama,0,1,1\n", CORRECT, "columns '0' and '1' are named like items, so the rows seem"),
        (",ARC,MMLU-Pro\ngpt-4,81,80\nphi,60,50\n", HIGHER, "columns 'ARC' and 'MMLU-Pro' are named like test sets"),
        ("item,a,a_stderr\nx,.5,.1\ny,.4,.2\n", HIGHER, "column 'a_stderr' is named like the spread of another"),
        ("item,a,weights\nx,.5,1\ny,.4,2\n", HIGHER, "column 'weights' is named like a property of the items"),
        ("item,a,b\nx,pass,fail\ny,fail,pass\n", {"kind": "losses"}, "column 'a' says in words what is right"),
        ("item,a,b\nx,pass,1\ny,fail,0\n", {"higher_is_better": False}, "so --lower-is-better would turn it round"),
        ("item;a;b\nx;18,270;1,500\ny;3,111;950\n", HIGHER, "column 'a': '18,270' may be a number with three decimals"),
        ("item;a;b\nx;18.270;1.500\ny;3.111;950\n", HIGHER, "column 'a': '18.270' may be a number with three decimals"),
        ("item,a,b\nx,-,1\ny,n. a.,0\n", CORRECT, "or say that it marks a missing value (--missing-value)"),
        ("item,system,metric,value\nx,a,acc,1\nx,a,loss,3\n", HIGHER, "column 'metric' names several metrics (acc"),
        ("item,system,score\nx,a,pass\nx,b,fail\n", {"kind": "losses"}, "column 'score' says in words what is right"),
        ("item,a,b\nx,.7,1\ny,.7,0\n", CORRECT, "table.csv: the same number in every row: 'a'"),
        ("a,b,gold_label\n1,0,1\n0,1,1\n", CORRECT, "column 'gold_label' is named like the true labels"),
        ("a,b,difficulty_level\n1,0,1\n0,1,2\n", HIGHER, "column 'difficulty_level' is named like a property of"),
        ("a,b,is_hard\n1,0,1\n0,1,1\n", CORRECT, "column 'is_hard' is named like a property of the items"),
        ("a_acc,a_f1\n1,.5\n0,.1\n", HIGHER, "columns 'a_acc' and 'a_f1' are named like two scores of one system"),
        ("a pass@1,a pass@10\n1,.5\n0,.1\n", HIGHER, "two scores of one system (pass@1, pass@10)"),
        (",a,b\na,1,.6\nb,.4,1\n", HIGHER, "rows and columns have the same names (a, b), so its numbers are of pairs"),
        ("a,b\n1,0\n0,1\n1,9\n", HIGHER, "column 'b' has 9 among numbers that are between 0 and 1; say --missing-v"),
        ("a,b\n1,0\n0,inf\n1,1\n", HIGHER, "table.csv, line 3, system 'b': the number is infinite"),
        ("a,b\n.5,-\n.2,.1\n", HIGHER, "'-' is not a number; correct it, or leave the column out (--drop)"),
        ('a,b\n"85,200",1\n"1,300",2\n', HIGHER, "'85,200' is not a number; write it without a sign between thousa"),
        ('"a","b"\n"1",.2,.3\n', HIGHER, "line 2: the row has one cell more than the header has names; add a name"),
        ('"a" "b"\n"1" .2 .3\n"2" .3 .1\n', HIGHER, "line 1: the columns seem to be divided at blanks"),
        ("item,model,score\nx,a,-1\ny,a,1\n", HIGHER, "column 'score' has -1 among numbers that are not negative"),
        ("item,model,score\nx,a,87\nx,b,.3\n", HIGHER, "system 'a' is far off the scale of the others (typically 87"),
        ("item,model,score\nx,a,1\nmean,a,1\n", HIGHER, "line 3, column 'item': 'mean' is named like a summary of"),
        ("hash,task_id,model,score\n1,x,a,1\n", HIGHER, "several columns may name the items (hash, task_id); say whic"),
        ("dataset,version,metric,mode,a,b\nmmlu,-,acc,gen,61,58\n", HIGHER, "table.csv is a summary of OpenCompass"),
        ("prompt,llm,stars\nx,a,1\n", HIGHER, "column 'llm' names a system in each row"),
        ("model1,model2,winner\na,b,2\n", {}, "'2' is neither 'a', 'b', 'model1', 'model2' nor tie; write one of"),
    ],
)
def test_what_looks_like_another_thing_is_refused(
    tmp_path: Path, text: str, options: dict[str, object], message: str
) -> None:
    assert message in find_refusal(write(tmp_path, text), **options)


@pytest.mark.parametrize(
    "last",
    ["all,.75,.5,.333", "all,75,50,33.3", "all,.75,.5,.33"],
    ids=["mean beside a missing cell", "mean in percent", "mean of two decimals"],
)
def test_a_last_row_that_sums_up_is_refused(tmp_path: Path, last: str) -> None:
    text = f"item,a,b,c\nw,1,0,1\nx,1,1,\ny,0,1,0\nz,1,0,0\n{last.replace('all', 'Gesamt')}\n"
    message = find_refusal(write(tmp_path, text), **HIGHER, missing="drop_items")
    assert message.startswith("table.csv, line 6: the last row is the mean")
    read_results(
        write(tmp_path, text.replace(last.partition(",")[2], "1,0,1")), higher_is_better=True, missing="drop_items"
    )


@pytest.mark.parametrize("names", [("1", "2", "3"), ("1000", "2000", "5000"), ("2019", "2020", "2021")])
def test_systems_may_be_called_by_numbers(tmp_path: Path, names: tuple[str, ...]) -> None:
    table = np.array([[1, 0, 1], [2, 3, 0], [3, 1, 2], [5, 4, 1]])
    pd.DataFrame(table, columns=names).to_csv(tmp_path / "table.csv")
    found = read_results(tmp_path / "table.csv", **HIGHER)  # type: ignore[arg-type]
    assert isinstance(found, LossMatrix)
    assert found.systems == names
    np.testing.assert_allclose(found.scores, table.mean(axis=0))


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("item,a,b,,\nx,1,0,,\ny,0,0,,\nz,1,1,,\n", [2 / 3, 1 / 3]),
        ('"";"a";"b"\n"1";0,25;1,5\n"2";NA;0,5\n"3";0,75;2\n', [0.5, 1.75]),
        ("item;a;b\nx;20,5 %;50 %\ny;30,5 %;70,5 %\n", [0.255, 0.6025]),
        ("item;a;b\nx;20,5\u00a0%;50\u202f%\ny;30,5\u00a0%;70,5\u202f%\n", [0.255, 0.6025]),
        ("item;a;b\nx;18,270;0,500\ny;3,111;9,500\n", [10.6905, 5.0]),
        ("item,system,rating\nx,a,4\nx,b,2\ny,a,5\ny,b,3\n", [4.5, 2.5]),
    ],
    ids=[
        "empty columns at the end",
        "R's csv2 with NA",
        "percents with commas",
        "narrow blanks",
        "decimal commas",
        "another score",
    ],
)
def test_what_can_be_read_in_one_way_is_read(tmp_path: Path, text: str, scores: list[float]) -> None:
    metric = "rating" if "rating" in text else ()
    found = read_results(write(tmp_path, text), **HIGHER, metric=metric, missing="drop_items")  # type: ignore[arg-type]
    assert isinstance(found, LossMatrix)
    np.testing.assert_allclose(found.scores, scores)


def test_a_semicolon_table_of_text_keeps_its_commas() -> None:
    assert read_table(b"id;note\n1;1,5\n2;a,b\n").column("note").to_list() == ["1,5", "a,b"]


def test_a_system_may_be_called_like_a_tie(tmp_path: Path) -> None:
    text = "item,model_a,model_b,winner\n1,Tiefighter,x,Tiefighter\n2,x,Tiefighter,x\n3,x,Tiefighter,tie (bothbad)\n"
    battles = read_results(write(tmp_path, text + "4,x,Tiefighter,A\n5,x,Tiefighter,both_bad\n6,x,draw,draw\n"))
    assert isinstance(battles, Battles)
    assert battles.outcomes.tolist() == [1, 1, 0.5, 1, 0.5, 0]


def test_judges_write_verdicts_in_many_ways(tmp_path: Path) -> None:
    verdicts = ["A>>B", "B>A", "A=B", "equal", "neither", "player1", "y", "same"]
    text = "player1,player2,preference\n" + "".join(f"x,y,{verdict}\n" for verdict in verdicts)
    battles = read_results(write(tmp_path, text))
    assert isinstance(battles, Battles)
    assert battles.outcomes.tolist() == [1, 0, 0.5, 0.5, 0.5, 1, 0, 0.5]


def test_a_missing_score_counts_as_the_lowest_possible_one(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n50,80\n60,\n70,90\n")
    found = read_results(path, higher_is_better=True, missing="worst", bounds=(0, 100))
    assert isinstance(found, LossMatrix)
    np.testing.assert_allclose(found.scores, [60, 170 / 3])
    errors = read_results(path, higher_is_better=False, missing="worst", bounds=(0, 100))
    assert isinstance(errors, LossMatrix)
    np.testing.assert_allclose(errors.scores, [60, 90])


def test_battles_are_read_from_one_of_three_columns_or_beside_conversations(tmp_path: Path) -> None:
    flags = "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n1,x,y,1,0,0\n2,x,y,0,1,0\n3,x,y,0,0,1\n"
    battles = read_results(write(tmp_path, flags))
    assert isinstance(battles, Battles)
    assert battles.outcomes.tolist() == [1, 0, 0.5]
    assert "must be 1 and the others 0" in find_refusal(write(tmp_path, flags + "4,x,y,1,1,0\n"))
    votes = [{"model_a": "x", "model_b": "y", "winner": "model_b", "conversation_a": [{"role": "user"}]}] * 2
    nested = read_results(write(tmp_path, json.dumps(votes), "votes.json"))
    assert isinstance(nested, Battles)
    assert nested.outcomes.tolist() == [0, 0]


def test_options_are_followed_or_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "item,a,b,winner\n1,x,y,x\n2,y,z,z\n3,x,y,y\n", "battles.csv")
    battles = read_results(path, drop=["z"])
    assert isinstance(battles, Battles)
    assert battles.systems == ("x", "y")
    assert "left out 1 system (z): not asked for (--systems, --drop), with their battles" in battles.notes
    assert "no system is called 'q' (--systems, --drop)" in find_refusal(path, systems=["x", "q"])
    assert "--lower-is-better says nothing about them" in find_refusal(path, higher_is_better=False)
    assert "--groups-column says nothing about them" in find_refusal(path, groups_column="item")
    np.savez(tmp_path / "losses.npz", losses=[[0.1, 0.2, 0.4], [0.3, 0.1, 0.2]], systems=["a", "b", "c"])
    kept = read_results(tmp_path / "losses.npz", drop=["b"])
    assert isinstance(kept, LossMatrix)
    assert kept.systems == ("a", "c")
    np.testing.assert_allclose(kept.means, [0.2, 0.3])
    assert "has no system 'q'" in find_refusal(tmp_path / "losses.npz", systems=["q"])


def test_kaggles_own_program_writes_small_initials(tmp_path: Path) -> None:
    text = "teamId,teamName,submissionDate,score\n1,a,2024-03-02 10:00:00,.91\n2,b,2024-03-01 10:00:00,.9\n"
    board = read_results(write(tmp_path, text))
    assert isinstance(board, Board)
    assert board.scores.tolist() == [0.9, 0.91]
    assert "--kind says nothing about them" in find_refusal(tmp_path / "table.csv", kind="losses")


@pytest.mark.parametrize("orient", ["index", "table", "values", "split", "columns"])
def test_other_forms_of_json_tables_are_named(tmp_path: Path, orient: str) -> None:
    pd.DataFrame({"a": [0, 1], "b": [1, 0]}).to_json(tmp_path / "table.json", orient=orient)
    assert "table.json is a table in another form than records" in find_refusal(tmp_path / "table.json")


def test_inspect_logs_before_scorers_had_names_are_read(tmp_path: Path) -> None:
    for model, grades in (("one", "CIC"), ("two", "ICI")):
        samples = [{"id": at, "epoch": 1, "score": {"value": grade}} for at, grade in enumerate(grades)]
        about = {"task": "t", "task_id": "x", "model": model, "created": "2024-04-01T00:00:00"}
        log = {"version": 1, "status": "success", "eval": about, "samples": samples}
        write(tmp_path, json.dumps(log), f"{model}.json")
    found = read_results(tmp_path)
    assert isinstance(found, LossMatrix)
    np.testing.assert_allclose(found.scores, [2 / 3, 1 / 3])
