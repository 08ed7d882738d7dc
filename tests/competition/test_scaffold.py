"""`make_folder` on solutions as people have them; all or nothing."""

import gzip
from collections.abc import Callable
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ladderboard.competition import inspect_folder, scaffold
from ladderboard.competition.scaffold import Request, Scaffold, make_folder
from ladderboard.core.errors import CompetitionError, InputError, ParameterError
from ladderboard.tabular import read_predictions

ROWS = 1200
RNG = np.random.default_rng(5)
BINARY = RNG.integers(0, 2, ROWS).tolist()
SPECIES = RNG.choice(["setosa", "versicolor", "virginica"], ROWS).tolist()
PRICES = RNG.normal(200_000, 50_000, ROWS).round(2).tolist()
SMALL = RNG.integers(0, 10, ROWS).tolist()
USAGE = RNG.choice(["Public", "Private"], ROWS).tolist()


def frame(**columns: object) -> pl.DataFrame:
    return pl.DataFrame(columns)


def csv(**columns: object) -> bytes:
    return frame(**columns).write_csv().encode()


def parquet(**columns: object) -> bytes:
    buffer = BytesIO()
    frame(**columns).write_parquet(buffer)
    return buffer.getvalue()


SHAPES: dict[str, tuple[bytes, dict[str, object], str, tuple[str, ...]]] = {
    "Kaggle's Titanic": (
        csv(PassengerId=range(892, 892 + ROWS), Survived=BINARY, Usage=USAGE),
        {"id": "PassengerId", "labels": ("Survived",), "usage": "Usage"},
        "auc",
        ("PassengerId", "Survived"),
    ),
    "classes that are words": (
        csv(id=range(ROWS), species=SPECIES),
        {"id": "id", "labels": ("species",)},
        "accuracy",
        ("id", "species"),
    ),
    "prices": (
        csv(Id=range(1461, 1461 + ROWS), SalePrice=PRICES),
        {"id": "Id", "labels": ("SalePrice",)},
        "rmse",
        ("Id", "SalePrice"),
    ),
    "survival times": (
        csv(patient_id=range(ROWS), time=RNG.exponential(100, ROWS).round(1).tolist(), event=BINARY),
        {"id": "patient_id", "labels": ("time", "event")},
        "c_index",
        ("patient_id", "risk"),
    ),
    "digits": (
        csv(ImageId=range(ROWS), Label=SMALL),
        {"id": "ImageId", "labels": ("Label",)},
        "accuracy",
        ("ImageId", "Label"),
    ),
    "ratings": (
        csv(review_id=[f"r{i:05}" for i in range(ROWS)], rating=(RNG.integers(1, 6, ROWS)).tolist()),
        {"id": "review_id", "labels": ("rating",)},
        "quadratic_kappa",
        ("review_id", "rating"),
    ),
    "several rows of a patient": (
        csv(id=range(ROWS), patient=[f"p{i % 400}" for i in range(ROWS)], y=BINARY, weight=[1.5] * ROWS),
        {"id": "id", "labels": ("y",), "group": "patient", "weight": "weight"},
        "auc",
        ("id", "y"),
    ),
    "semicolons": (
        csv(id=range(ROWS), target=BINARY).replace(b",", b";"),
        {"id": "id", "labels": ("target",)},
        "auc",
        ("id", "target"),
    ),
    "a byte-order mark and Windows lines": (
        b"\xef\xbb\xbf" + csv(id=range(ROWS), label=SPECIES).replace(b"\n", b"\r\n"),
        {"id": "id", "labels": ("label",)},
        "accuracy",
        ("id", "label"),
    ),
    "file names as ids": (
        csv(filename=[f"img_{i * 7919 % 10007:05}.png" for i in range(ROWS)], Class=SPECIES, usage=USAGE),
        {"id": "filename", "labels": ("Class",), "usage": "usage"},
        "accuracy",
        ("filename", "Class"),
    ),
    "a unique column of another name": (
        csv(value=BINARY, url=[f"u{i}" for i in range(ROWS)]),
        {"id": "url", "labels": ("value",)},
        "auc",
        ("url", "value"),
    ),
    "gzip": (
        gzip.compress(csv(id=range(ROWS), label=BINARY)),
        {"id": "id", "labels": ("label",)},
        "auc",
        ("id", "label"),
    ),
    "Parquet": (
        parquet(id=range(ROWS), label=PRICES),
        {"id": "id", "labels": ("label",)},
        "rmse",
        ("id", "label"),
    ),
}


def made(folder: Path, content: bytes, **request: object) -> Scaffold:
    solution = folder / "given.csv"
    solution.write_bytes(content)
    return make_folder(folder / "whales", Request(solution, **request))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SHAPES)
def test_a_solution_as_people_have_it_becomes_a_competition(tmp_path: Path, name: str) -> None:
    content, columns, metric, sample = SHAPES[name]
    found = made(tmp_path, content)
    guessed = found.draft.columns
    wanted = {"usage": None, "group": None, "weight": None, **columns}
    assert {key: getattr(guessed, key) for key in wanted} == wanted
    assert found.draft.proposal.metric == metric
    again = inspect_folder(tmp_path / "whales")
    assert again.competition is not None, again.findings
    assert (tmp_path / "whales" / found.draft.solution_file).read_bytes() == content
    header = (tmp_path / "whales" / "sample_submission.csv").read_text().splitlines()[0]
    assert header == ",".join(sample)


@pytest.mark.parametrize("name", SHAPES)
def test_the_sample_submission_is_valid_and_scored(tmp_path: Path, name: str) -> None:
    made(tmp_path, SHAPES[name][0])
    competition = inspect_folder(tmp_path / "whales").competition
    assert competition is not None
    values = read_predictions((tmp_path / "whales" / "sample_submission.csv").read_bytes(), competition.format).values
    key = competition.whole
    assert len(key.metric.kind.read_predictions(key._target, values)) == ROWS


def test_probabilities_of_several_classes_have_a_column_each(tmp_path: Path) -> None:
    found = made(tmp_path, SHAPES["classes that are words"][0], metric="log_loss")
    assert "# chosen with --metric" in (found.folder / "competition.toml").read_text()
    assert found.competition.format.prediction_columns == ("setosa", "versicolor", "virginica")
    assert found.competition.format.takes == "probabilities"


def test_without_usage_half_is_public_by_a_secret_seed_that_is_never_the_same(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = (made(tmp_path / name, SHAPES["digits"][0]) for name in "ab")
    assert len(first.draft.split_seed) == 32
    assert first.draft.split_seed != second.draft.split_seed
    assert len(first.competition.solution.rows("Public")) == ROWS // 2


def test_without_a_solution_an_example_is_made_that_can_be_served(tmp_path: Path) -> None:
    make_folder(tmp_path / "try it!", Request())
    found = inspect_folder(tmp_path / "try it!")
    assert not found.findings
    assert found.competition is not None
    assert found.competition.slug == "try-it"
    assert sorted(path.name for path in (tmp_path / "try it!" / "data").iterdir()) == ["test.csv", "train.csv"]


def test_the_same_seed_makes_the_same_example(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        make_folder(tmp_path / name, Request(seed=seed))
    solutions = [(tmp_path / name / "solution.csv").read_bytes() for name in "abc"]
    assert solutions[0] == solutions[1] != solutions[2]


def test_an_example_can_be_learnt(tmp_path: Path) -> None:
    make_folder(tmp_path / "x", Request())
    competition = inspect_folder(tmp_path / "x").competition
    assert competition is not None
    test = pl.read_csv(tmp_path / "x" / "data" / "test.csv")
    score = competition.whole.evaluate(competition.whole.read((test["age"] - test["visits"]).to_numpy())).score
    assert score > 0.7


def test_a_title_with_quotes_and_other_letters_survives(tmp_path: Path) -> None:
    title = 'The "Wal" — größer\\als je'
    made(tmp_path, SHAPES["digits"][0], title=title)
    competition = inspect_folder(tmp_path / "whales").competition
    assert competition is not None
    assert competition.rules.title == title


def test_columns_may_be_named(tmp_path: Path) -> None:
    content = csv(a=range(ROWS), b=range(ROWS, 2 * ROWS), c=BINARY, d=SPECIES)
    found = made(tmp_path, content, id="b", labels=("d",))
    assert (found.draft.columns.id, found.draft.columns.labels) == ("b", ("d",))


@pytest.mark.parametrize(
    ("content", "request_", "error", "sentence"),
    [
        (csv(id=range(9), a=range(9), b=range(9)), {}, InputError, "which column has the labels? Say --label COLUMN"),
        (csv(a=[1, 1], b=[2, 2]), {}, InputError, "no column names the rows"),
        (csv(id=range(9), label=range(9)), {"id": "x"}, InputError, "the solution has no column 'x'"),
        (csv(id=range(9), label=range(9)), {"metric": "acuracy"}, ParameterError, "did you mean accuracy"),
        (b"", {}, InputError, "given.csv: the file is empty"),
        (b"id,label\n", {}, InputError, "has no rows"),
        (csv(id=[1, 1, *range(2, 60)], label=BINARY[:60]), {}, CompetitionError, "solution.csv:3: id '1' appears"),
        (csv(id=range(60), label=[None] * 60), {}, InputError, "column 'label' has no label"),
        (csv(id=range(60), label=SPECIES[:60]), {"metric": "rmse"}, CompetitionError, "is not a number"),
        (csv(id=range(60), label=["x"] * 60), {}, CompetitionError, "all 60 labels are 'x'"),
    ],
)  # fmt: skip
def test_a_solution_that_cannot_be_used_leaves_nothing_behind(
    tmp_path: Path, content: bytes, request_: dict[str, object], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error) as raised:
        made(tmp_path, content, **request_)
    assert sentence in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == ["given.csv"]


def test_a_missing_solution_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*nowhere.csv: No such file"):
        make_folder(tmp_path / "x", Request(tmp_path / "nowhere.csv"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "prepare", [lambda path: path.write_text("x"), lambda path: (path.mkdir(), (path / "a").touch())]
)
def test_nothing_that_exists_is_overwritten(tmp_path: Path, prepare: Callable[[Path], object]) -> None:
    prepare(tmp_path / "there")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match="already exists and is not empty"):
        make_folder(tmp_path / "there", Request())
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_folder_may_be_filled(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    make_folder(tmp_path / "empty", Request())
    assert (tmp_path / "empty" / "competition.toml").is_file()


def test_a_failure_on_the_way_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scaffold, "write_sample", fail)
    with pytest.raises(OSError, match="No space left"):
        make_folder(tmp_path / "x", Request())
    assert not list(tmp_path.iterdir())


def test_a_solution_with_the_line_ends_of_old_spreadsheets_is_read(tmp_path: Path) -> None:
    old = csv(id=range(40), label=[0, 1] * 20, Usage=["Public", "Public", "Private", "Private"] * 10)
    assert len(made(tmp_path, old.replace(b"\n", b"\r")).competition.solution.ids) == 40


def test_labels_with_a_decimal_comma_are_not_taken_for_words(tmp_path: Path) -> None:
    commas = csv(id=range(40), price=[f"{price},5" for price in range(40)], Usage=["Public", "Private"] * 20)
    with pytest.raises(CompetitionError, match=r"solution.csv:2: label '0,5' .* write it with a decimal point"):
        made(tmp_path, commas)


def test_moments_of_a_solution_in_parquet_are_the_ids_that_pandas_writes(tmp_path: Path) -> None:
    moments = [datetime(2026, 1, 1) + timedelta(hours=hour) for hour in range(40)]
    made_of = parquet(when=moments, label=[0, 1] * 20, Usage=["Public", "Public", "Private", "Private"] * 10)
    found = made(tmp_path, made_of).competition
    assert found.solution.ids[1] == "2026-01-01 01:00:00"
    sent = parquet(when=moments, label=[0.5] * 40)
    assert len(read_predictions(sent, found.format).values) == 40
