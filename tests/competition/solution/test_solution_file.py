"""solution.csv: columns, labels, split, weights and groups, and every problem with its line."""

import gzip
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ladderboard.competition import load_competition, solution_digest
from tests.competition.folders import TOML, errors, inspect, labels, only, solution_csv, write_folder
from tests.tabular.wrappings import zipped

SEED = 'split_seed = "0123456789abcdef"\n'
DRAWN = f"{TOML}[solution]\npublic_share = 0.3\n{SEED}"


def rows(header: str, make: Callable[[int], str], count: int = 2000) -> str:
    return "\n".join([header, *(make(i) for i in range(count))])


def plain() -> str:
    return "\n".join(line.rsplit(",", 1)[0] for line in solution_csv().splitlines())


@pytest.mark.parametrize(
    ("changed", "problems"),
    [
        ({4: "1,0,Public"}, ["solution.csv:4: id '1' appears twice; each row needs its own"]),
        ({5: ",0,Public"}, ["solution.csv:5: no id in column 'id'"]),
        ({5: "3,,Public"}, ["solution.csv:5: no label in column 'label'"]),
        ({5: "3,0,Pubic"}, ["solution.csv:5: Usage is 'Pubic'; it must be Public, Private or Ignored"]),
        ({5: "3,0,"}, ["solution.csv:5: Usage is ''; it must be Public, Private or Ignored"]),
        (
            {2: "0,,Public", 3: "1,0,x", 9: "1,1,Public"},
            [
                "solution.csv:2: no label in column 'label'",
                "solution.csv:3: Usage is 'x'; it must be Public, Private or Ignored",
                "solution.csv:9: id '1' appears twice; each row needs its own",
            ],
        ),
        ({7: "5,0,Public,more"}, ["solution.csv:7: the row has 4 cells, but the header has 3 columns"]),
        ({1: "id,label,label"}, [
            "solution.csv:1: 2 columns are called 'label'; give every column its own name"
        ]),
        ({1: "id,what,ever"}, [
            'solution.csv:1: which column has the labels? Say it in [solution]: label = "…"; there are: what, ever'
        ]),
        ({1: "what,label,Usage"}, [
            'solution.csv:1: which column names the rows? Say it in [solution]: id = "…"; '
            "there are: what, label, Usage"
        ]),
    ],
)  # fmt: skip
def test_a_bad_row_is_told_with_its_line(tmp_path: Path, changed: dict[int, str], problems: list[str]) -> None:
    lines = solution_csv().splitlines()
    for line, text in changed.items():
        lines[line - 1] = text
    assert errors(inspect(tmp_path, TOML, "\n".join(lines))) == problems


def test_lines_count_blank_lines_and_cells_over_several_lines(tmp_path: Path) -> None:
    solution = solution_csv() + '\n\n"two\nlines",1,Public\n\n7,1,Private\n'
    assert errors(inspect(tmp_path, TOML, solution)) == [
        "solution.csv:2006: id '7' appears twice; each row needs its own"
    ]


def test_of_many_alike_the_first_are_shown_and_the_rest_counted(tmp_path: Path) -> None:
    found = errors(inspect(tmp_path, TOML, rows("id,label,Usage", lambda i: f"{i},,Public", 100)))
    assert len(found) == 6
    assert found[-1] == "solution.csv:7: from here on 95 more rows have no label in 'label'"


@pytest.mark.parametrize(
    ("metric", "label", "problem"),
    [
        ("rmse", "x", "solution.csv:2: label 'x' in column 'label' is not a number"),
        ("rmse", "nan", "solution.csv:2: label 'nan' in column 'label' is not a number"),
        ("rmse", "inf", "solution.csv:2: label 'inf' in column 'label' is not a number"),
        ("rmsle", "-1", "solution.csv:2: label -1 in column 'label' is below 0, the least this metric takes"),
        ("auc", "2", "solution.csv: 3 classes in the labels; this metric takes exactly two"),
    ],
)
def test_labels_must_be_what_the_metric_takes(tmp_path: Path, metric: str, label: str, problem: str) -> None:
    lines = solution_csv().splitlines()
    lines[1] = f"0,{label},Public"
    assert errors(inspect(tmp_path, TOML.replace("accuracy", metric), "\n".join(lines))) == [problem]


def test_a_decimal_comma_is_read_in_a_semicolon_file_and_told_in_any_other(tmp_path: Path) -> None:
    solution = rows("id;label;Usage", lambda i: f"{i};{i},5;{'Public' if i % 3 else 'Private'}", 90)
    toml = TOML.replace("accuracy", "rmse")
    read = load_competition(write_folder(tmp_path / "a", toml, solution)).solution
    assert read.labels.tolist() == [i + 0.5 for i in range(90)]
    found = errors(inspect(tmp_path / "b", toml, solution.replace(";", "\t")))
    assert found[0] == "solution.csv:2: label '0,5' in column 'label' is not a number; write it with a decimal point"


def test_a_word_for_a_gap_among_numbers_is_no_class(tmp_path: Path) -> None:
    lines = solution_csv().splitlines()
    lines[1] = "0,NA,Public"
    (problem,) = errors(inspect(tmp_path, TOML, "\n".join(lines)))
    assert problem.startswith("solution.csv:2: label 'NA' in column 'label' is among numbers; if it is missing")


@pytest.mark.parametrize("words", [("public", "PRIVATE", "ignored"), ("Public", "Private", "Ignored")])
def test_usage_is_read_in_any_case_and_ignored_rows_need_no_label(tmp_path: Path, words: tuple[str, ...]) -> None:
    def row(i: int) -> str:
        if i == 0:
            return f"0,,{words[2]}"
        return f"{i},{labels()[i]},{words[0] if i * 37 % 101 % 2 else words[1]}"

    solution = load_competition(write_folder(tmp_path, TOML, rows("id,label,usage", row))).solution
    assert solution.usage[0] == "Ignored"
    assert set(solution.usage.tolist()) == {"Public", "Private", "Ignored"}
    assert len(solution.rows("Public")) + len(solution.rows("Private")) == 1999


def test_ids_are_integers_only_where_all_are_written_so(tmp_path: Path) -> None:
    text = solution_csv().replace("\n7,", "\n007,")
    assert load_competition(write_folder(tmp_path / "a")).solution.ids.dtype.kind == "i"
    padded = load_competition(write_folder(tmp_path / "b", TOML, text)).solution
    assert padded.ids.dtype.kind == "U"
    assert "007" in padded.ids


@pytest.mark.parametrize("kind", ["bom", "semicolons", "tabs", "gzip", "zip", "parquet", "crlf", "quoted"])
def test_the_same_solution_in_another_wrapping_is_the_same(tmp_path: Path, kind: str) -> None:
    text, file = solution_csv(), "solution.csv"
    frame = pl.read_csv(text.encode())
    buffer = BytesIO()
    frame.write_parquet(buffer)
    content = {
        "bom": b"\xef\xbb\xbf" + text.encode(),
        "semicolons": text.replace(",", ";").encode(),
        "tabs": text.replace(",", " \t ").encode(),
        "gzip": gzip.compress(text.encode()),
        "zip": zipped(text.encode()),
        "parquet": buffer.getvalue(),
        "crlf": text.replace("\n", "\r\n").encode(),
        "quoted": frame.write_csv(quote_style="always").encode(),
    }[kind]
    wrapped = load_competition(write_folder(tmp_path / "wrapped", TOML, content))
    assert solution_digest(wrapped) == solution_digest(load_competition(write_folder(tmp_path / "plain"))), file


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "solution.csv: the file is empty"),
        (b"id,label,Usage\n", "solution.csv: there is no row"),
        (b"id,label,Usage\n1,a,Public\n2,\xff,Public\n", "solution.csv:3: byte 0xFF is not UTF-8"),
        (b"PAR1junk", "solution.csv: the Parquet file ends too early"),
        (gzip.compress(b"id,label,Usage\n1,2,Public")[:-8], "solution.csv: the gzip file ends too early"),
        (b'id,label,Usage\n1,a,"Public\n', "solution.csv:2: a quotation mark is opened here and never closed"),
    ],
    ids=["empty", "header", "latin-1", "parquet", "gzip", "quote"],  # a gzip file holds the time it was made
)
def test_a_file_that_is_no_table_is_told(tmp_path: Path, content: bytes, problem: str) -> None:
    found = errors(inspect(tmp_path, TOML, content))
    assert len(found) == 1
    assert found[0].startswith(problem)


def test_a_missing_solution_is_told(tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "solution.csv").unlink()
    from ladderboard.competition import inspect_folder

    assert errors(inspect_folder(tmp_path))[0].startswith("solution.csv: the file is missing")


def test_a_solution_in_data_is_refused(tmp_path: Path) -> None:
    toml = f"{TOML}[solution]\nfile = 'data/solution.csv'\n"
    found = errors(inspect(tmp_path, toml, data__solution__csv=solution_csv()))
    assert "the solution lies in data/, which participants download" in found[0]


def test_weights_must_be_positive_numbers(tmp_path: Path) -> None:
    lines = [f"{line},{'weight' if n == 0 else 1.5}" for n, line in enumerate(solution_csv().splitlines())]
    toml = f"{TOML}[solution]\nweight = 'weight'\n"
    weight = load_competition(write_folder(tmp_path / "sound", toml, "\n".join(lines))).solution.weight
    assert weight is not None
    assert set(weight.tolist()) == {1.5}
    for line, bad in enumerate(["0", "-1", "x", "", "nan", "inf"], start=1):
        lines[line] = f"{line - 1},1,Public,{bad}"
    found = errors(inspect(tmp_path / "bad", toml, "\n".join(lines)))
    assert found[:2] == [
        "solution.csv:2: weight is '0'; a weight must be a positive number",
        "solution.csv:3: weight is '-1'; a weight must be a positive number",
    ]
    assert len(found) == 6


def test_groups_with_public_and_private_rows_are_refused(tmp_path: Path) -> None:
    toml = f"{TOML}[solution]\ngroup = 'patient'\n"
    straddling = rows(
        "id,label,patient,Usage", lambda i: f"{i},{labels()[i]},p{i // 4},{'Public' if i % 8 < 5 else 'Private'}"
    )
    (problem,) = errors(inspect(tmp_path, toml, straddling))
    assert problem.startswith("solution.csv:6: 250 groups have public and private rows (p1, p101, ")
    assert "keep the rows of a group together" in problem


def test_a_group_column_needs_names_and_two_groups(tmp_path: Path) -> None:
    toml = f"{TOML}[solution]\ngroup = 'g'\n"
    found = errors(inspect(tmp_path, toml, rows("id,label,g,Usage", lambda i: f"{i},{i % 2},,Public", 8)))
    assert found[0] == "solution.csv:1: all rows are in one group (column 'g'); at least two are needed"
    assert found[1] == "solution.csv:2: no group in column 'g'"


def test_columns_that_look_like_groups_or_weights_are_mentioned_when_unused(tmp_path: Path) -> None:
    lines = [
        f"{line},{'weight,patient_id,x' if n == 0 else f'2,p{n},0'}"
        for n, line in enumerate(solution_csv().splitlines())
    ]
    found = [finding.message for finding in inspect(tmp_path, TOML, "\n".join(lines)).findings]
    assert found == [
        "column 'patient_id' is not used; if it is meant, say it in [solution]: group = \"patient_id\"",
        "column 'weight' is not used; if it is meant, say it in [solution]: weight = \"weight\"",
        "not used: column x",
    ]


def test_without_usage_the_split_is_drawn_by_class_and_does_not_depend_on_the_order(tmp_path: Path) -> None:
    lines = plain().splitlines()
    first = load_competition(write_folder(tmp_path / "a", DRAWN, "\n".join(lines)))
    again = load_competition(write_folder(tmp_path / "b", DRAWN, "\n".join([lines[0], *reversed(lines[1:])])))
    assert solution_digest(first) == solution_digest(again)
    public = first.solution.usage == "Public"
    for label in (0, 1):
        assert public[first.solution.labels == label].mean() == pytest.approx(0.3, abs=0.002)


def test_another_seed_draws_another_split(tmp_path: Path) -> None:
    first = load_competition(write_folder(tmp_path / "a", DRAWN, plain())).solution.usage
    other = load_competition(write_folder(tmp_path / "b", DRAWN.replace("0123", "3210"), plain())).solution.usage
    assert 0.4 < np.mean(first == other) < 0.75


def test_a_drawn_split_keeps_groups_together(tmp_path: Path) -> None:
    toml = DRAWN + "group = 'patient'\n"
    solution = rows("id,label,patient", lambda i: f"{i},{labels()[i]},p{i % 400}")
    found = load_competition(write_folder(tmp_path, toml, solution)).solution
    assert found.group is not None
    for group in range(400):
        assert len(set(found.usage[found.group == group].tolist())) == 1
    assert (found.usage == "Public").mean() == pytest.approx(0.3, abs=0.01)


def test_a_split_needs_usage_or_a_share_and_a_seed_and_not_both(tmp_path: Path) -> None:
    assert "which rows are public? Add a column Usage" in only(inspect(tmp_path / "a", TOML, plain())).message
    no_seed = only(inspect(tmp_path / "b", DRAWN.replace(SEED, ""), plain()))
    assert (no_seed.file, no_seed.line) == ("competition.toml", 5)
    assert "public_share needs a split_seed, a secret of your own" in no_seed.message
    both = only(inspect(tmp_path / "c", DRAWN))
    assert (both.line, "leave public_share out" in both.message) == (5, True)


def test_survival_labels_are_a_time_and_an_event(tmp_path: Path) -> None:
    toml = TOML.replace("accuracy", "c_index") + "[solution]\nlabel = ['time', 'event']\n"
    words = {0: "0", 1: "1", 2: "true", 3: "False"}

    def row(i: int) -> str:
        return f"{i},{(i * 7919) % 1000},{words[i % 4]},{'Public' if i * 37 % 101 % 2 else 'Private'}"

    competition = load_competition(write_folder(tmp_path / "a", toml, rows("id,time,event,Usage", row)))
    assert competition.solution.labels[:4].tolist() == [[0, 0], [919, 1], [838, 1], [757, 0]]
    assert competition.format.prediction_columns == ("risk",)
    bad = rows("id,time,event,Usage", lambda i: row(i) if i > 1 else f"{i},-1,1,Public")
    assert errors(inspect(tmp_path / "b", toml, bad))[0].startswith(
        "solution.csv:2: label -1 in column 'time' is below 0"
    )
    worse = rows("id,time,event,Usage", lambda i: row(i) if i > 1 else f"{i},1,2,Public")
    assert errors(inspect(tmp_path / "c", toml, worse))[0] == (
        "solution.csv:2: event is 2; it must be 0 (censored) or 1 (the event was observed)"
    )


def test_two_label_columns_are_for_survival_and_for_columns_of_classes_only(tmp_path: Path) -> None:
    labels = "[solution]\nlabel = ['label', 'Usage']\n"
    found = errors(inspect(tmp_path, TOML.replace("accuracy", "rmse") + labels))
    words = "there are 2 label columns, but rmse takes one; name only one, or choose a metric of several targets"
    assert found[0] == f"competition.toml:5: {words}"
    found = errors(inspect(tmp_path, TOML + labels))
    wrong = "'Private' in column 'Usage' is neither 0 nor 1: of several label columns, each is a class"
    assert found[0] == f"solution.csv:2: {wrong}"
