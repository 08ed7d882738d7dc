"""Scorers of files: what they give, what they may not do, and what becomes of one that goes wrong."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ladderboard.core.errors import MetricUnavailableError
from ladderboard.scoring import file_scorer
from ladderboard.scoring.file_scorer import FileScorer, ScorerSource
from ladderboard.scoring.scorer import ItemScores
from ladderboard.scoring.solution_files import SolutionFiles
from ladderboard.scoring.submission_file import find_format
from tests.scoring.file_competitions import IDS, SCORER, make_submission, make_truth, make_zip

FIRST = "def score_items(submission, solution):\n"
EACH = "    ids = sorted(path.stem for path in solution.iterdir())\n"


class Maker:
    """Makes scorers of one solution, and ends them."""

    def __init__(self, folder: Path) -> None:
        for one, text in make_truth().items():
            (folder / f"{one}.txt").write_text(text)
        self._solution = SolutionFiles.read(folder)
        sample = make_zip((f"{one}.txt", "a") for one in IDS)
        self._format = find_format(sample, "sample_submission.zip", IDS, max_bytes=1 << 22, max_unpacked_bytes=1 << 24)
        self.made: list[FileScorer] = []

    def __call__(
        self, source: str, *, value: str | None = None, time_limit: float = 20, memory_mb: int = 2048
    ) -> FileScorer:
        scorer_source = ScorerSource(source, "score.py", "score_items", "score_items", value, time_limit, memory_mb)
        self.made.append(FileScorer(scorer_source, self._solution, self._format, (0.0, 1.0)))
        return self.made[-1]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Maker]:
    maker = Maker(tmp_path)
    yield maker
    for scorer in maker.made:
        scorer.close()


def score(scorer: FileScorer, content: bytes | None = None) -> ItemScores:
    return scorer.score(scorer.read(make_submission(0.5) if content is None else content))


def test_each_item_has_its_value_in_the_order_of_the_ids(make: Maker) -> None:
    texts = {f"{one}.txt": text if number % 2 else "x" for number, (one, text) in enumerate(make_truth().items())}
    assert score(make(SCORER), make_zip(texts)).values.tolist() == [number % 2 for number in range(len(IDS))]


def test_named_values_are_kept_and_the_one_that_is_asked_for_ranks(make: Maker) -> None:
    named = FIRST + EACH + "    return {one: {'dice': 0.5, 'iou': 0.25} for one in ids}\n"
    first, other = score(make(named)), score(make(named, value="iou"))
    assert (first.values[0], other.values[0]) == (0.5, 0.25)
    assert set(other.named) == {"dice", "iou"}


def test_what_it_prints_is_for_the_organiser(make: Maker) -> None:
    assert (
        score(make(FIRST + "    print('label', 7)\n" + EACH + "    yield from ((one, 1) for one in ids)\n")).report
        == "label 7\n"
    )


GOES_WRONG = {
    "it raises": ("raise ValueError('label 7')", "ValueError: label 7"),
    "it returns nothing": ("return None", "it returned NoneType"),
    "a value is text": ("yield 't000', '0.5'", "a value is str, not a number"),
    "too few": ("yield 't000', 1", "gave no value for 119 items"),
    "unknown": ("yield 'other', 1", "'other', which is no item"),
    "repeated": ("yield from [('t000', 1)] * 2", "gave 't000' twice"),
    "other names": ("yield from [('t000', {'a': 1}), ('t001', {'b': 1})]", "'t001' has the values ['b']"),
    "outside": ("yield from ((path.stem, 7) for path in solution.iterdir())", "scored 7, outside of bounds"),
    "it leaves": ("import os; os._exit(0)", "ended without an answer, twice"),
    "it computes for ever": ("while True: pass", "took longer than 2 s of processor time"),
    "it prints for ever": ("while True: print('label' * 1000)", "took longer than 2 s of processor time"),
    "it eats memory": ("held = bytearray(8 << 30)", "MemoryError"),
    "it writes to the solution": ("(solution / 'mine').write_text('x')", "OSError"),
    "it writes to the submission": ("(submission / 'mine').write_text('x')", "OSError"),
    "it reads files of the server": (f"open({str(Path(__file__))!r})", "FileNotFoundError"),
    "it connects": ("import socket; socket.create_connection(('127.0.0.1', 9), 2)", "Error"),
}
"""What a scorer does, and what of it the organiser is told."""


@pytest.mark.parametrize("name", GOES_WRONG)
def test_a_run_that_goes_wrong_has_no_values_and_a_report(make: Maker, name: str) -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    does, told = GOES_WRONG[name]
    found = score(make(FIRST + f"    {does}\n", time_limit=2, memory_mb=1024))
    assert np.isnan(found.values).all()
    assert told in found.report


def test_one_that_forks_without_end_is_ended_with_all_it_started(make: Maker) -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    found = score(make(FIRST + "    import os\n    while True: os.fork()\n", time_limit=2))
    assert np.isnan(found.values).all()


def test_a_missing_value_of_one_item_leaves_the_others(make: Maker) -> None:
    found = score(make(FIRST + EACH + "    yield from ((one, float('nan') if one == 't001' else 1) for one in ids)\n"))
    assert np.flatnonzero(np.isnan(found.values)).tolist() == [1]


def test_nothing_of_one_submission_is_there_for_the_next(make: Maker) -> None:
    counts = "import pathlib\nseen = []\n" + FIRST + EACH + (
        "    mark = pathlib.Path('/tmp/mark')\n    was = mark.exists() or len(seen)\n    seen.append(1)\n"
        "    try: mark.write_text('x')\n    except OSError: pass\n"
        "    yield from ((one, bool(was)) for one in ids)\n"
    )  # fmt: skip
    scorer = make(counts)
    assert [float(score(scorer).values.sum()) for _ in range(3)] == [0, 0, 0]


def test_a_scorer_that_does_not_load_is_the_servers_fault_and_says_why_to_the_organiser(make: Maker) -> None:
    with pytest.raises(MetricUnavailableError) as refusal:
        score(make("import nothing_like_this\n"))
    assert "nothing_like_this" not in str(refusal.value)
    assert "nothing_like_this" in str(refusal.value.__cause__)


def test_without_a_sandbox_the_plain_child_runs_it(make: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_scorer, "find_obstacle", lambda: "for this test")
    assert score(make(SCORER), make_submission(1.0)).values.mean() == 1
    found = score(make(FIRST + "    while True: pass\n", time_limit=1))
    assert "took longer than 1 s" in found.report
    assert "MemoryError" in score(make(FIRST + "    held = bytearray(8 << 30)\n", memory_mb=1024)).report


def test_the_digest_follows_the_scorer_and_the_solution(make: Maker, tmp_path: Path) -> None:
    one = make(SCORER)
    assert one.digest == make(SCORER).digest != make(SCORER + "\n").digest
    (tmp_path / "t000.txt").write_text("other")
    other = FileScorer(one.source, SolutionFiles.read(tmp_path), one.format, (0, 1))
    assert other.digest != one.digest
