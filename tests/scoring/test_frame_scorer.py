"""Metrics as they stand on Kaggle: their scores, standard errors and words, and what becomes of one that goes wrong."""

import logging
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ladderboard.competition import Competition, inspect_folder, load_competition, pack_solution, unpack_solution
from ladderboard.core.errors import CompetitionError, MetricUnavailableError, SubmissionError, UndefinedMetricError
from ladderboard.scoring.frame_child import FrameChild, FrameSource, FrameTables
from ladderboard.scoring.frame_scorer import FrameScorer
from ladderboard.scoring.frame_table import join_columns
from ladderboard.scoring.metric_process import load_function
from ladderboard.scoring.scorer import Scorer
from tests.scoring.frame_competitions import METRIC, TOML, N, make_folder, make_lengths, make_rows

Make = Callable[..., Competition]


@pytest.fixture(scope="module")
def whales(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Competition]:
    competition = load_competition(make_folder(tmp_path_factory.mktemp("whales")))
    yield competition
    competition.scorer.close()


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Scorer] = []

    def load(**given: Any) -> Competition:
        competition = load_competition(make_folder(tmp_path / "whales", **given))
        made.append(competition.scorer)
        return competition

    yield load
    for scorer in made:
        scorer.close()


def evaluate(competition: Competition, content: bytes, usage: str | None = None) -> Any:
    values = competition.scorer.score(competition.scorer.read(content)).values
    rows = np.arange(N) if usage is None else competition.solution.rows(usage)  # type: ignore[arg-type]
    key = competition.whole if usage is None else competition.whole.part(rows)
    return key.evaluate(values[rows])


def score_by_hand(folder: Path, content: bytes, usage: str | None = None, **options: Any) -> float:
    """What Kaggle would do: read both files, drop Usage, call."""
    (folder / "by_hand.csv").write_bytes(content)
    solution, submission = pd.read_csv(folder / "solution.csv"), pd.read_csv(folder / "by_hand.csv")
    if usage is not None:
        solution = solution[solution["Usage"] == usage]
    submission = submission.set_index("id").loc[solution["id"]].reset_index()
    solution = solution.drop(columns="Usage").reset_index(drop=True)
    return float(
        load_function((folder / "metric.py").read_text(), "metric.py", "score")(solution, submission, "id", **options)
    )


GUESSES = np.round(np.array(make_lengths()) + np.random.default_rng(1).normal(size=N), 3).clip(0).tolist()


@pytest.mark.parametrize("usage", [None, "Public", "Private"])
def test_the_score_of_any_rows_is_that_of_the_function_by_hand(whales: Competition, usage: str | None) -> None:
    assert whales.folder is not None
    content = make_rows(GUESSES)
    assert evaluate(whales, content, usage).score == score_by_hand(whales.folder, content, usage)


def test_the_jackknife_is_that_of_a_weighted_mean(whales: Competition) -> None:
    """Against the exact influence values; 17 groups know an SE to 1/√32, and off by 4 of these is 1 in 10,000."""
    table = pd.read_csv(whales.folder / "solution.csv").set_index("id").loc[[f"w{n}" for n in range(N)]]  # type: ignore[operator]
    weight, wrong = table["important"].to_numpy(), np.abs(np.array(GUESSES) - table["length"].to_numpy())
    mean = (weight * wrong).sum() / weight.sum()
    exact = math.sqrt((weight**2 * (wrong - mean) ** 2).sum()) / weight.sum()
    found = np.std(evaluate(whales, make_rows(GUESSES)).contributions, ddof=1) / math.sqrt(N)
    assert found == pytest.approx(exact, rel=4 / math.sqrt(32))


def test_a_submission_costs_at_most_sixty_calls(whales: Competition, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(whales.scorer, FrameScorer)
    child, calls = whales.scorer.child, []
    ask = child._ask

    def count(*given: Any, **named: Any) -> Any:
        calls.append(1)
        return ask(*given, **named)

    monkeypatch.setattr(child, "_ask", count)
    mechanism, incumbent = whales.mechanism, whales.public.baseline
    state = mechanism.start(incumbent, np.random.default_rng(0))
    for attempt, off in enumerate((3.0, 0.1)):
        calls.clear()
        content = make_rows([one + off for one in make_lengths()])
        values = whales.scorer.score(whales.scorer.read(content)).values
        candidate = whales.public.evaluate(values[whales.solution.rows("Public")], submission=str(attempt))
        rng = np.random.default_rng(attempt)
        state, release = mechanism.step(state, candidate, incumbent, rng, proven=incumbent)
        assert release.accepted
        incumbent = candidate
    assert len(calls) <= 60


def test_options_are_passed_and_unknown_ones_refused(make: Make, tmp_path: Path) -> None:
    options = "[metric.options]\npower = 2.0\n"
    competition = make(toml=TOML.replace("[limits]", options + "[limits]"))
    content = make_rows(GUESSES)
    assert evaluate(competition, content).score == score_by_hand(tmp_path / "whales", content, power=2.0)
    with pytest.raises(CompetitionError, match="there is no option of score"):
        make(toml=TOML.replace("[limits]", options.replace("power", "powr") + "[limits]"))
    needed = METRIC.replace("power: float = 1.0", "power: float")
    with pytest.raises(CompetitionError, match=r"score needs power; give a value for each in \[metric.options\]"):
        make(metric=needed)


BAD = {
    "a column too few": (b"id\nw0\n", "there is no column 'length'"),
    "another column": (make_rows(GUESSES, header="id,lenght"), "did you mean 'lenght'"),
    "a row too few": (make_rows(GUESSES[:-1]), "1 id has no row: w199"),
    "a row twice": (make_rows(GUESSES) + b"w0,1\n", "line 202: id 'w0' appears twice"),
    "an unknown row": (make_rows([*GUESSES, 3.0]), "line 202: there is no id 'w200'"),
    "text": (make_rows(GUESSES).replace(b"w0,", b"w0,about "), "length must be a number"),
    "negative": (make_rows([-1.0, *GUESSES[1:]]), "no length is negative"),
    "nothing": (b"", "empty"),
    "no table": (b"\x00\x01\x02", "NUL byte"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_in_words_that_depend_on_no_label(whales: Competition, name: str) -> None:
    content, told = BAD[name]
    with pytest.raises(SubmissionError) as refusal:
        whales.scorer.read(content)
    assert told in str(refusal.value)


def test_words_for_participants_that_come_from_labels_are_for_the_organiser_alone(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    tells = (
        '    if (submission["length"] == solution["length"]).mean() > 0.5:\n'
        '        raise ParticipantVisibleError("half right")\n'
    )
    competition = make(metric=METRIC.replace("    wrong =", tells + "    wrong ="))
    content = make_rows([float(one) for one in make_lengths()])
    with caplog.at_level(logging.WARNING, logger="ladderboard.scoring"), pytest.raises(UndefinedMetricError) as refusal:
        evaluate(competition, content).score  # noqa: B018 (computed on demand)
    assert "half right" not in str(refusal.value)
    assert "half right" in caplog.text


def test_words_that_the_sample_meets_too_say_nothing_of_a_submission(make: Make) -> None:
    """Where the sample holds one class, a curve has no area at it: that is no fault of who submits."""
    area = METRIC.replace("    wrong =", (
        '    if solution["length"].nunique() < 2 or solution["important"].nunique() < 3:\n'
        '        raise ParticipantVisibleError("all the same")\n    wrong ='
    ))  # fmt: skip
    competition = make(metric=area)
    assert evaluate(competition, make_rows(GUESSES)).score > 0
    with pytest.raises(SubmissionError, match="no length is negative"):
        competition.scorer.read(make_rows([-1.0, *GUESSES[1:]]))


GOES_WRONG = {
    "it raises": ("raise ValueError(f'label {solution.length[0]}')", "ValueError: label"),
    "it returns nothing": ("return None", "a value is NoneType"),
    "it returns NaN": ("return float('nan')", ""),
    "it returns text": ("return 'label'", "a value is str"),
    "it is out of bounds": ("return -1.0", ""),
    "it leaves": ("import os; os._exit(0)", "ended without an answer, twice"),
    "it computes for ever": ("while True: pass", "took longer than 1 s of processor time"),
    "it eats memory": ("held = bytearray(8 << 30)", "MemoryError"),
    "it reads files of the server": (f"open({str(Path(__file__))!r})", "FileNotFoundError"),
    "it connects": ("import socket; socket.create_connection(('127.0.0.1', 9), 2)", "Error"),
    "it prints labels": ("print('label', 7); raise ValueError", "label 7"),
}
"""What the function does with a submission of nothing but nines, and what the organiser is told."""


@pytest.fixture(scope="module")
def moody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Competition]:
    """A function that does what a submission's first row says."""
    cases = "".join(f"    if case == {n}:\n        {does}\n" for n, (does, _) in enumerate(GOES_WRONG.values()))
    metric = METRIC.replace("    wrong =", '    case = submission["length"].iloc[-1] - 1000\n' + cases + "    wrong =")
    toml = TOML.replace("bounds", "time_limit = 1\nmemory_mb = 1024\nbounds")
    competition = load_competition(make_folder(tmp_path_factory.mktemp("moody"), metric=metric, toml=toml))
    yield competition
    competition.scorer.close()


@pytest.mark.parametrize("name", GOES_WRONG)
def test_what_goes_wrong_is_no_score_and_told_to_the_organiser_alone(
    moody: Competition, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    case = 1000 + list(GOES_WRONG).index(name)
    content = make_rows([float(case)] * N)
    with caplog.at_level(logging.WARNING, logger="ladderboard.scoring"), pytest.raises(UndefinedMetricError) as refusal:
        evaluate(moody, content).score  # noqa: B018 (computed on demand)
    assert str(refusal.value) == "the metric's function gives no value for these predictions"
    assert GOES_WRONG[name][1] in caplog.text
    # What comes after it is scored as if it had not been.
    assert evaluate(moody, make_rows(GUESSES)).score > 0


def test_a_metric_that_cannot_be_loaded_is_the_servers_fault() -> None:
    rows = join_columns({"length": np.array([1.0])}, 1)
    child = FrameChild(
        FrameSource("import nothing_like_this\n", "metric.py", "score"),
        FrameTables(b"id,length\nw0,1\n", "id", ("id", "length"), rows),
    )
    with pytest.raises(MetricUnavailableError) as refusal:
        child.score(np.array([0]), rows)
    assert "nothing_like_this" not in str(refusal.value)
    assert "nothing_like_this" in str(refusal.value.__cause__)


def test_what_the_server_keeps_scores_like_the_folder(whales: Competition) -> None:
    kept = unpack_solution(pack_solution(whales))
    content = make_rows(GUESSES)
    try:
        assert evaluate(kept, content, "Private").score == evaluate(whales, content, "Private").score
    finally:
        kept.scorer.close()


def test_check_says_what_it_took_and_how_it_is_judged(tmp_path: Path) -> None:
    found = inspect_folder(make_folder(tmp_path / "whales"))
    assert found.competition is not None
    found.competition.scorer.close()
    assert (
        "judged by at most 54 calls on parts of the rows, standard errors from 17 groups" in found.competition.rehearsal
    )


def test_check_tells_the_organiser_everything(tmp_path: Path) -> None:
    metric = METRIC.replace("    wrong =", "    raise ValueError(f'label {solution.length[0]}')\n    wrong =")
    found = inspect_folder(make_folder(tmp_path / "whales", metric=metric))
    assert found.competition is None
    assert any("ValueError: label" in str(finding) for finding in found.findings)


def test_text_stays_text_and_missing_cells_are_missing(tmp_path: Path) -> None:
    metric = (
        "def score(solution, submission, row_id_column_name):\n"
        "    assert len(submission) < 200 or submission['length'].isna().sum() == 1\n"
        "    return float((solution['length'].astype(str) + ' m' != submission['length']).mean())\n"
    )
    folder = make_folder(tmp_path / "whales", metric=metric)
    words = [f"{one} m" for one in make_lengths()]
    (folder / "sample_submission.csv").write_bytes(make_rows([*words[1:], ""]))
    (folder / "competition.toml").write_text(TOML.replace("[0, inf]", "[0, 1]"))
    competition = load_competition(folder)
    try:
        assert evaluate(competition, make_rows([*words[:-1], "NA"])).score == 1 / N
    finally:
        competition.scorer.close()
