"""Tables that could be misread: left out and said, or refused with the option that decides."""

from pathlib import Path

import pandas as pd
import pytest

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.evals import ACCURACY, LossMatrix, read_results


def read(folder: Path, text: str, **options: object) -> LossMatrix:
    path = folder / "table.csv"
    path.write_text(text)
    results = read_results(path, **options)  # type: ignore[arg-type]
    assert isinstance(results, LossMatrix)
    return results


def test_the_index_that_pandas_writes_is_no_system(tmp_path: Path) -> None:
    frame = pd.DataFrame({"ours": [0.1, 0.5, 0.2], "theirs": [0.3, 0.2, 0.6]})
    frame.to_csv(tmp_path / "table.csv")
    matrix = read_results(tmp_path / "table.csv", kind="losses")
    assert isinstance(matrix, LossMatrix)
    assert matrix.systems == ("ours", "theirs")
    assert matrix.notes == (
        "table.csv: 3 items numbered from 1; 2 systems: ours, theirs",
        "left out 1 column (without a name): it counts the rows",
    )
    frame.index = pd.Index(["x", "y", "z"])
    frame.to_csv(tmp_path / "table.csv")
    named = read_results(tmp_path / "table.csv", kind="losses")
    assert isinstance(named, LossMatrix)
    assert named.items == ("x", "y", "z")


@pytest.mark.parametrize("name", ["doc_id", "passage", "questionId", "row", "sample idx", "content_hash"])
def test_a_column_named_like_an_id_is_no_system(tmp_path: Path, name: str) -> None:
    matrix = read(tmp_path, f"{name},a,b\n7,0,1\n7,1,0\n8,1,1\n", kind="correct")
    assert matrix.systems == ("a", "b")
    assert f"left out 1 column ({name!r}): it is named like an id" in matrix.notes[1]
    assert read(tmp_path, f"{name},a,b\n7,0,1\n7,1,0\n8,1,1\n", kind="correct", groups_column=name).groups == (
        "7",
        "7",
        "8",
    )


def test_a_model_is_not_taken_for_an_id(tmp_path: Path) -> None:
    matrix = read(tmp_path, "covid,gpt-4,bert_base,hybrid\n0,1,1,0\n1,0,1,1\n", kind="losses", constant=True)
    assert matrix.systems == ("covid", "gpt-4", "bert_base", "hybrid")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n,a,b\n0,.3,.1\n1,.2,.2\n2,.2,.3\n", "column 'n' counts the rows; leave it out (--drop n)"),
        ("a,b,words\n.3,.1,812\n.2,.2,640\n", "column 'words' is far off the scale of the others (typically 726"),
        ("a,b,c\n.3,.1,87.5\n.2,.2,60\n", "leave it out (--drop c), or say which columns are systems (--systems)"),
        (
            "a,b\n0,1\n1,1\n",
            "holds only 0 and 1, and it cannot be told whether 1 is right or wrong: say --kind correct",
        ),
        (
            "a,b\n0.5,1\n1,1\n",
            "does not say whether high numbers are good: say --higher-is-better or --lower-is-better",
        ),
        ("a,b\n50 %,60 %\n40 %,0.7\n", "line 3, column 'b': '0.7' has no percent sign and other cells"),
        (
            "a,tag\n1,law\n0,law\n",
            "line 2, column 'tag': 'law' is not a number; correct it, or leave the column",
        ),
        ("a,b,c\n87,91,.3\n62,70,.2\n", "column 'c' is far off the scale of the others (typically 0.25, the others"),
        ("a,b,label\n0,1,1\n1,1,0\n", "column 'label' is named like the true labels; score predictions with it"),
        ("a,b,Seed\n0,1,1\n1,1,0\n", "column 'Seed' is named like a property of the items; leave it out (--drop"),
        ("a,b\n0,1\n1,-1\n", "column 'b' has -1 among numbers that are not negative; say --missing-value -1"),
        ('a,b\n"0,5",1\n"0,7",2\n', "'0,5' is not a number; write it with a decimal point"),
        (
            "a,b\n.5,.3\n.2,-999\n.1,.4\n",
            "column 'b' has -999 among numbers that are not negative; say --missing-value",
        ),
        ("id,a,b\nq1,.5,.3\nq2,.2,.9\nTotal,.7,1.2\n", "line 4, column 'id': 'Total' is named like a summary of the"),
        ("a,b\n.5,.3\n.2,.9\n.1,.4\n.267,.533\n", "line 5: the last row is the mean of all others; delete it"),
        ("a,b\n1,0\n1,1\n0,1\n2,2\n", "line 5: the last row is the sum of all others; delete it"),
        (
            "a,b,mean\n.5,.3,.4\n.2,.9,.55\n",
            "column 'mean' is named like a summary of the other columns; leave it out",
        ),
        (
            "id,a\nq,2\nq,3\n",
            "line 2 and line 3: column 'id' has 'q' twice; keep one of the rows, or say that it names",
        ),
        ("0.5,0.3\n.2,.9\n", "line 1: the names of the systems are numbers (0.5, 0.3); put a line with the names"),
        ("model,q1,q2\nA,1,0\nB,0,1\n", "column 'model' names a system in each row; give a row for each item"),
        ("a,b\n", "has a header and no rows"),
    ],
)
def test_what_could_be_misread_is_refused_with_the_option(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        read(tmp_path, text)
    assert message in str(refusal.value)
    assert "table.csv" in str(refusal.value)


def test_the_options_take_what_was_refused(tmp_path: Path) -> None:
    text = "a,b,length\n.3,.1,812\n.2,.2,640\n"
    assert read(tmp_path, text, kind="losses", drop=["length"]).systems == ("a", "b")
    assert read(tmp_path, text, kind="losses", systems=["a", "length"]).systems == ("a", "length")


@pytest.mark.parametrize("other", ["1 + 4 * place / 39", "-place / 39", "100 * (place % 3 > 0)"])
def test_two_scales_in_one_table_are_refused(tmp_path: Path, other: str) -> None:
    """A rating, losses or percentages among shares; with fewer items or on the same scale it is one more system."""
    values = [(place / 39, 1 - place / 39, eval(other, {"place": place})) for place in range(40)]
    text = "a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in values)
    with pytest.raises(
        InputError, match=r"column 'c' is typically .*, where all others lie between 0 and 1; put it on"
    ):
        read(tmp_path, text, higher_is_better=True)
    assert read(tmp_path, text, higher_is_better=True, systems=["a", "b", "c"]).systems == ("a", "b", "c")
    shares = "a,b,c\n" + "".join(f"{a},{b},{a * b}\n" for a, b, _ in values)
    assert read(tmp_path, shares, higher_is_better=True).systems == ("a", "b", "c")


def test_the_direction_decides_the_losses_and_the_words(tmp_path: Path) -> None:
    text = "a,b\n0,1\n1,0\n1,1\n"
    right, wrong = (
        read(tmp_path, text, kind="correct", constant=True),
        read(tmp_path, text, kind="losses", constant=True),
    )
    assert right.losses.tolist() == (1 - wrong.losses).tolist()
    assert right.measure is ACCURACY
    assert read(tmp_path, "a,b\n30,10\n20,25\n", higher_is_better=True).scores.tolist() == [25, 17.5]
    assert read(tmp_path, "a,b\n30,10\n20,25\n", higher_is_better=False).measure.lower_is_better
    with pytest.raises(InputError, match="say --higher-is-better"):
        read(tmp_path, "a,b\n30,10\n20,25\n", kind="scores")
    with pytest.raises(ParameterError, match="say kind='losses' where 1 is an error"):
        read(tmp_path, text, kind="correct", higher_is_better=False)


def test_percent_signs_and_words_for_missing_cells_are_read(tmp_path: Path) -> None:
    matrix = read(tmp_path, "a,b\n50 %,60%\n40.5 %,NA\n30 %,20 %\n", higher_is_better=True, missing="drop_items")
    assert matrix.scores.tolist() == pytest.approx([0.4, 0.4])
    assert matrix.notes[1] == "table.csv: percentages (a, b) are read as fractions, 87.5 % as 0.875"
    assert matrix.notes[2] == "left out 1 item (2): no score of 'b' for 1 of 3 items"
    with pytest.raises(InputError, match="line 3, column 'b': the cell is empty"):
        read(tmp_path, "a,b\n0.5,0.6\n0.4,NA\n", higher_is_better=True)


def test_a_declared_missing_value_is_missing(tmp_path: Path) -> None:
    text = "a,b\n1,0\n-1,1\n0,1\n1,0\n"
    with pytest.raises(InputError, match=r"line 3, column 'a': -1 is outside \[0, 1\].*\(--missing-value -1\)"):
        read(tmp_path, text, kind="correct")
    matrix = read(tmp_path, text, kind="correct", missing_value=-1, missing="drop_items")
    assert matrix.items == ("1", "3", "4")


def test_decimal_commas_are_read_where_semicolons_part_the_columns(tmp_path: Path) -> None:
    assert read(tmp_path, "a;b\n0,5;1\n0,7;2\n", kind="losses").losses.tolist() == [[0.5, 1], [0.7, 2]]


def test_an_ordinary_last_row_is_no_summary(tmp_path: Path) -> None:
    """Ratings whose last row happens to be their mean, and right answers that happen to add up."""
    assert len(read(tmp_path, "a,b\n3,4\n2,5\n4,3\n3,4\n", higher_is_better=True).items) == 4
    assert len(read(tmp_path, "a,b\n1,0\n0,0\n0,1\n1,1\n", kind="correct").items) == 4
    rows = "\n".join(f"{i % 7 / 7:.3f},{i % 5 / 5:.3f}" for i in range(20))
    assert len(read(tmp_path, f"a,b\n{rows}\n", higher_is_better=True).items) == 20


@pytest.mark.parametrize(("right", "wrong"), [("correct", "incorrect"), ("Pass", "Fail"), ("✓", "✗")])
def test_words_that_say_which_is_right_are_read(tmp_path: Path, right: str, wrong: str) -> None:
    matrix = read(tmp_path, f"a,b\n{right},{wrong}\n{wrong},{wrong}\n{wrong},{right}\n")
    assert matrix.losses.T.tolist() == [[0, 1, 1], [1, 1, 0]]
    assert "were read as right and wrong" in matrix.notes[-1]
    long = read(tmp_path, f"item,model,score\n1,a,{right}\n2,a,{wrong}\n1,b,{wrong}\n2,b,{right}\n")
    assert long.losses.T.tolist() == [[0, 1], [1, 0]]
    with pytest.raises(InputError, match=f"'{right}' is not a number"):
        read(tmp_path, f"a,b\n{right},{wrong}\n0.5,{wrong}\n")


def test_records_in_json_are_a_table(tmp_path: Path) -> None:
    frame = pd.DataFrame({"ours": [0.125, 0.5, None], "theirs": [0.3, 0.25, 0.75]})
    frame.to_json(tmp_path / "array.json", orient="records")
    frame.to_json(tmp_path / "lines.jsonl", orient="records", lines=True)
    frame.to_json(tmp_path / "lines.jsonl.gz", orient="records", lines=True)
    for name in ("array.json", "lines.jsonl", "lines.jsonl.gz"):
        matrix = read_results(tmp_path / name, kind="losses", missing="drop_items")
        assert isinstance(matrix, LossMatrix)
        assert matrix.losses.tolist() == [[0.125, 0.3], [0.5, 0.25]]
        with pytest.raises(InputError, match=f"{name}, row 3, column 'ours': the cell is empty"):
            read_results(tmp_path / name, kind="losses")
    frame.to_json(tmp_path / "columns.json")
    with pytest.raises(InputError, match=r"columns.json is a table in another form than records"):
        read_results(tmp_path / "columns.json")
    (tmp_path / "nested.json").write_text('[{"a": 1, "b": 2}, {"a": [1, 2], "b": 3}]')
    with pytest.raises(InputError, match=r"nested.json: field 'a' holds several values"):
        read_results(tmp_path / "nested.json")
