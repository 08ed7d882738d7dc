"""Solutions of ranked lists, masks and texts: read, refused by line and column, and proposed a metric by `new`."""

from pathlib import Path

import numpy as np
import pytest

from ladderboard.competition import inspect_folder
from ladderboard.competition.scaffold import Request, make_folder
from ladderboard.competition.solution.digest import solution_digest
from ladderboard.competition.solution.kept import pack_solution, unpack_solution
from ladderboard.core.errors import CompetitionError
from ladderboard.server.competitions.downloads import describe_format

ROWS = 80
SOLUTIONS = {
    "ndcg": ("query,relevant,grades", [f"q{at},d{at % 7} e{at},{1 + at % 3} 1" for at in range(ROWS)]),
    "dice": ("picture,mask,height,width", [f"p{at},{f'{1 + at} 5' if at % 5 else ''},10,12" for at in range(ROWS)]),
    "token_f1": ("id,answer,answer_2", [f"{at},word {at} of many,{'other' * (at % 2)}" for at in range(ROWS)]),
}
LABELS = {"ndcg": ("relevant", "grades"), "dice": ("mask", "height", "width"), "token_f1": ("answer", "answer_2")}
metrics = pytest.mark.parametrize("metric", SOLUTIONS)


def write(path: Path, metric: str, **changed: str) -> Path:
    """The solution, with other text in some rows: line_3="…"."""
    header, rows = SOLUTIONS[metric]
    lines = [header, *rows]
    for place, text in changed.items():
        lines[int(place.removeprefix("line_")) - 1] = text
    path.write_text("\n".join(lines) + "\n")
    return path


def make(tmp_path: Path, metric: str, **changed: str) -> Path:
    solution = write(tmp_path / "solution.csv", metric, **changed)
    made = make_folder(tmp_path / "made", Request(solution=solution, metric=metric, labels=LABELS[metric]))
    return made.folder


@metrics
def test_a_folder_is_made_and_its_kept_solution_is_the_same_again(tmp_path: Path, metric: str) -> None:
    competition = inspect_folder(make(tmp_path, metric)).competition
    assert competition is not None
    assert competition.solution.label_columns == LABELS[metric]
    assert competition.format.prediction_columns == LABELS[metric][:1]
    again = unpack_solution(pack_solution(competition))
    assert solution_digest(again) == solution_digest(competition)
    assert again.format.to_wire() == competition.format.to_wire()
    np.testing.assert_array_equal(again.solution.labels, competition.solution.labels)


@metrics
def test_pages_and_samples_quote_no_label(tmp_path: Path, metric: str) -> None:
    folder = make(tmp_path, metric)
    competition = inspect_folder(folder).competition
    assert competition is not None
    said = describe_format(competition.format)
    shown = said.sentence + said.example + (folder / "sample_submission.csv").read_text()
    assert not any(word in shown for word in ("d3", "e5", "word 4", "6 5"))


def test_new_finds_masks_by_the_size_of_their_pictures_and_sentences_by_their_words(tmp_path: Path) -> None:
    masks = make_folder(tmp_path / "masks", Request(solution=write(tmp_path / "m.csv", "dice"))).competition
    assert (masks.metric.name, masks.solution.label_columns) == ("dice", ("mask", "height", "width"))
    texts = make_folder(tmp_path / "texts", Request(solution=write(tmp_path / "t.csv", "token_f1"))).competition
    assert (texts.metric.name, texts.solution.label_columns) == ("token_f1", ("answer",))


@pytest.mark.parametrize(
    ("metric", "line", "words"),
    [
        ("ndcg", "q1,,", "solution.csv:3: no label in column 'relevant'"),
        ("ndcg", "q1,a b,1", "solution.csv:3: label 'a b' has 2 ids and 1 grades"),
        ("ndcg", "q1,a a,1 1", "solution.csv:3: label 'a a' names 'a' twice"),
        ("dice", "p1,119 9,10,12", "solution.csv:3: label '119 9' reaches pixel 127, but the picture has 120"),
        ("dice", "p1,1 2,,12", "solution.csv:3: no label in column 'height'"),
        ("dice", "p1,1 2,10,x", "solution.csv:3: label 'x' is no height or width in pixels"),
        ("token_f1", f"1,{'x' * 10_001},", "has 10,001 characters"),
    ],
)
def test_a_bad_label_is_told_by_its_line(tmp_path: Path, metric: str, line: str, words: str) -> None:
    with pytest.raises(CompetitionError) as refusal:
        make(tmp_path, metric, line_3=line)
    assert words in str(refusal.value)


def test_a_metric_with_too_few_label_columns_is_told_in_the_rules(tmp_path: Path) -> None:
    folder = make(tmp_path, "dice")
    rules = folder / "competition.toml"
    rules.write_text(rules.read_text().replace('label = ["mask", "height", "width"]', 'label = "mask"'))
    found = [str(one) for one in inspect_folder(folder).findings]
    assert any("dice: there are 1 label columns in [solution]; three are needed: the mask, the" in one for one in found)


def test_ignored_rows_need_no_label(tmp_path: Path) -> None:
    header, rows = SOLUTIONS["ndcg"]
    lines = [
        f"{header},Usage",
        *(f"{row},{'Public' if at % 2 else 'Private'}" for at, row in enumerate(rows)),
        "z,,,Ignored",
    ]
    (tmp_path / "solution.csv").write_text("\n".join(lines) + "\n")
    request = Request(solution=tmp_path / "solution.csv", metric="ndcg", labels=LABELS["ndcg"])
    competition = make_folder(tmp_path / "made", request).competition
    assert len(competition.solution.rows("Ignored")) == 1


def test_k_and_the_queue_are_options(tmp_path: Path) -> None:
    folder = make(tmp_path, "ndcg")
    rules = folder / "competition.toml"
    text = rules.read_text().replace('\nmetric = "ndcg"', "\n")
    rules.write_text(text + '\n[metric]\nname = "ndcg"\nk = 1\nqueued = true\n')
    competition = inspect_folder(folder).competition
    assert competition is not None
    assert competition.format.most_entries == 1
    rules.write_text(text + '\n[metric]\nname = "ndcg"\nk = 0\n')
    assert any("k is 0; it must be a whole number" in str(one) for one in inspect_folder(folder).findings)
