"""A competition's own metric in its process: values, failures, time, memory, threads, forks."""

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.competition import Rules, limit_time, load_competition, metric_choice
from ladderboard.competition.metric_choice import load_metric
from ladderboard.core.errors import MetricUnavailableError, ParameterError, UndefinedMetricError
from ladderboard.metrics.custom.metric import NO_VALUE, FunctionMetric
from ladderboard.scoring import metric_child
from ladderboard.scoring.custom_metric import ProcessFunction, metric_from_source
from ladderboard.scoring.metric_child import MetricChild, MetricProcess, MetricSource
from tests.child_processes import has_filter
from tests.competition.folders import TOML, errors, inspect, only, write_folder

SOURCE = """\
import os, signal, sys, time
import numpy as np

print("this goes nowhere")

def score(labels, predictions, sample_weight=None):
    first = predictions[0]
    if first == 1001:
        raise ValueError(f"the labels are {labels}")
    if first == 1002:
        return "a word"
    if first == 1003:
        while True: pass
    if first == 1010:
        time.sleep(1)
    if first == 1011:
        time.sleep(600)
    if first == 1012:
        start = time.process_time()
        while time.process_time() == start: pass
    if first == 1004:
        os.kill(os.getpid(), signal.SIGKILL)
    if first == 1005:
        return len(bytearray(1 << 33))
    if first == 1006:
        sys.exit(0)
    if first == 1007:
        print(labels, flush=True), os.write(1, b"{}"), sys.stdin.read()
    if first == 1008:
        return float("nan")
    if first == 1009:
        return len(os.environ.get("SECRET_OF_THE_SERVER", ""))
    labels[:] = labels - predictions  # its own copy
    return np.average(labels ** 2, weights=sample_weight)
"""
LABELS = np.arange(50.0)
OPTIONS: dict[str, Any] = {"lower_is_better": True, "bounds": [0, float("inf")], "time_limit": 600}


def make(source: str = SOURCE, **options: Any) -> FunctionMetric:
    return metric_from_source(source, {**OPTIONS, **options}, name="mine", folder=None)


def child_of(metric: FunctionMetric) -> MetricChild:
    function = metric._function
    assert isinstance(function, ProcessFunction)
    return function.child


@pytest.fixture(scope="module")
def metric() -> Iterator[FunctionMetric]:
    made = make()
    yield made
    child_of(made).close()


def predictions(first: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([first, *(LABELS[1:] + 1)])


def test_it_scores_like_the_same_function_here(metric: FunctionMetric) -> None:
    rng = np.random.default_rng(3)
    guess, weight = LABELS + rng.normal(size=50), rng.exponential(size=50)
    mse = lb.METRICS["mse"]
    assert metric.score(LABELS, guess) == pytest.approx(mse.score(LABELS, guess))
    assert metric.score(LABELS, guess, weight=weight) == pytest.approx(mse.score(LABELS, guess, weight=weight))
    assert metric.contributions(LABELS, guess) == pytest.approx(mse.contributions(LABELS, guess), rel=1e-4)
    assert metric.takes_real_weights


@pytest.mark.parametrize("first", [1001, 1002, 1005, 1006, 1008])
def test_whatever_goes_wrong_in_it_is_one_fixed_message(metric: FunctionMetric, first: int) -> None:
    with pytest.raises(UndefinedMetricError) as raised:
        metric.score(LABELS, predictions(first))
    assert str(raised.value) == NO_VALUE
    assert raised.value.__cause__ is None
    assert metric.score(LABELS, LABELS + 1) == 1


def test_what_it_prints_goes_nowhere(metric: FunctionMetric, capfd: pytest.CaptureFixture[str]) -> None:
    assert metric.score(LABELS, predictions(1007)) > 1
    assert capfd.readouterr() == ("", "")


def test_it_sees_nothing_of_the_servers_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_SERVER", "postgresql://…")
    metric = make("import os\ndef score(y, p):\n    return len(os.environ.get('SECRET_OF_THE_SERVER', ''))\n")
    assert metric.score(LABELS, LABELS) == 0
    child_of(metric).close()


def test_out_of_time_is_an_ordinary_rejection_and_the_next_one_is_scored() -> None:
    metric = make(time_limit=0.1)
    with pytest.raises(UndefinedMetricError, match=NO_VALUE):
        metric.score(LABELS, predictions(1003))
    function = metric._function
    assert isinstance(function, ProcessFunction)
    metric._function = replace(function, time_limit=600)  # the next one may take its time where the machine is busy
    assert metric.score(LABELS, LABELS + 1) == 1
    child_of(metric).close()


def test_only_processor_time_counts_so_that_a_busy_server_rejects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_child, "find_patience", lambda _: 10_000)
    metric = make(time_limit=0.5)
    with limit_time() as clock:
        assert metric.score(LABELS, predictions(1010)) > 0
    assert clock.used < 0.5
    child_of(metric).close()


def test_a_metric_that_waits_for_ever_is_ended_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = make()
    assert metric.score(LABELS, LABELS) == 0
    monkeypatch.setattr(metric_child, "find_patience", lambda _: 0.1)
    with pytest.raises(UndefinedMetricError, match=NO_VALUE):
        metric.score(LABELS, predictions(1011))
    child_of(metric).close()


def test_the_time_limit_is_that_of_a_whole_submission(metric: FunctionMetric) -> None:
    with limit_time() as clock:
        for _ in range(2):
            before = clock.used
            assert metric.score(LABELS, predictions(1012)) > 0
            assert clock.used > before
            clock.spend(300)  # seconds of 600, as if it had taken so long
        with pytest.raises(UndefinedMetricError, match=NO_VALUE):
            metric.score(LABELS, LABELS + 1)
    assert metric.score(LABELS, LABELS + 1) == 1, "outside, each call has its own"
    with limit_time():
        assert metric.score(LABELS, LABELS + 1) == 1, "and every submission starts anew"


def test_a_process_that_falls_twice_over_a_submission_rejects_it(metric: FunctionMetric) -> None:
    with pytest.raises(UndefinedMetricError, match=NO_VALUE):
        metric.score(LABELS, predictions(1004))
    assert metric.score(LABELS, LABELS + 1) == 1


def test_a_process_that_was_killed_is_started_anew_and_nobody_notices(metric: FunctionMetric) -> None:
    metric.score(LABELS, LABELS)
    child = child_of(metric).child.running
    assert child is not None
    os.kill(child.pid, signal.SIGKILL)
    assert metric.score(LABELS, LABELS + 1) == 1


def test_a_process_that_cannot_be_had_is_the_platforms_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = make()
    child_of(metric).close()
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(MetricUnavailableError, match="no attempt was used"):
        metric.score(LABELS, LABELS)
    # No mechanism takes it for a rejection.
    board = lb.Leaderboard(LABELS, metric="mse", mechanism="full_disclosure", seed=1)
    board._key.metric = metric
    with pytest.raises(MetricUnavailableError):
        board.submit("team", LABELS)


def test_many_threads_share_one_process(metric: FunctionMetric) -> None:
    found: dict[int, float] = {}

    def work(shift: int) -> None:
        found[shift] = metric.score(LABELS, LABELS + shift)

    threads = [threading.Thread(target=work, args=(shift,)) for shift in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {shift: float(shift**2) for shift in range(20)}


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_has_a_process_of_its_own(metric: FunctionMetric) -> None:
    metric.score(LABELS, LABELS)
    before = child_of(metric).child.running
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            score = metric.score(LABELS, LABELS + 2)
            ours = child_of(metric).child.running
            assert ours is not None
            os.write(writing, f"{score} {ours is not before}".encode())
            ours.end()
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(pid, 0)
    assert os.read(reading, 100) == b"4.0 True"
    os.close(reading)
    assert child_of(metric).child.running is before
    assert metric.score(LABELS, LABELS + 1) == 1


def test_a_child_ends_with_its_parent() -> None:
    child = MetricChild(MetricSource(SOURCE, "metric.py", "score", 4 << 30))
    assert child.takes_weights()
    running = child.child.running
    assert running is not None
    del child
    assert not running.is_running


def test_text_classes_reach_it_as_they_are() -> None:
    source = "def score(y, p):\n    return float((y == p).mean()) if y[0] in ('cat', 'dog') else -1\n"
    metric = make(source, takes="classes", lower_is_better=False, bounds=[-1, 1])
    assert metric.score(["cat", "dog", "dog", "cat"], ["cat", "cat", "dog", "cat"]) == 0.75
    child_of(metric).close()


@pytest.mark.parametrize(
    ("options", "scale"),
    [
        ({"bounds": [0, 1]}, "asin_sqrt"),
        ({"bounds": [-1.0, 1]}, "fisher_z"),
        ({"bounds": [0, "inf"]}, "identity"),
        ({"bounds": [0, 1], "scale": "identity"}, "identity"),
    ],
)
def test_the_scale_suits_the_bounds_so_that_no_release_lies_beyond_them(options: dict[str, Any], scale: str) -> None:
    metric = make(**options)
    assert metric.scale.name == scale
    child_of(metric).close()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"lower_is_better": None}, "which values are better?"),
        ({"bounds": [1]}, "bounds are [1]; give the lowest and the highest"),
        ({"bounds": [1, 0]}, "bounds are"),
        ({"scale": "lg"}, "there is no scale 'lg'; did you mean log?"),
        ({"takes": "words"}, "there is no kind of input 'words'"),
        ({"time_limit": 0}, "time_limit is 0; it must be a positive number"),
        ({"timelimit": 3}, "there is no option of a metric of your own 'timelimit'; did you mean time_limit?"),
        ({"function": "skore"}, "cannot load it: LookupError: metric.py defines no function 'skore'"),
        ({"function": 3}, "function is 3; it must be text in quotes"),
        ({"baseline": "majority"}, "baseline is 'majority'; for a metric that takes numbers"),
    ],
)
def test_an_option_that_does_not_fit_is_told(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError) as raised:
        make(**options)
    assert sentence in str(raised.value)


FOLDER = TOML.replace('metric = "accuracy"\n', "") + (
    "[metric]\nfile = 'metric.py'\nlower_is_better = true\ntakes = 'classes'\nbounds = [0, 1]\n"
)
WRONG = "def score(labels, predictions):\n    return float((labels != predictions).mean())\n"


def test_a_folders_metric_serves_its_competition(tmp_path: Path) -> None:
    competition = load_competition(write_folder(tmp_path, FOLDER, metric__py=WRONG))
    yardstick = competition.public.yardstick
    plain = load_competition(write_folder(tmp_path / "plain", TOML.replace("accuracy", "error_rate"))).public.yardstick
    assert yardstick.baseline_score == plain.baseline_score
    assert (competition.metric.name, competition.metric_source) == ("score", WRONG)
    (tmp_path / "metric.py").write_text("raise SystemExit")  # what was read is what runs
    child_of(competition.public.metric).close()  # type: ignore[arg-type]
    guess = competition.whole.read(competition.solution.labels)
    assert competition.whole.evaluate(guess).score == 0


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("def score(y, p:\n", "cannot load it: SyntaxError: "),
        ("import nothing_of_the_kind\n", "cannot load it: ModuleNotFoundError: No module named"),
        ("score = 3\n", "cannot load it: LookupError: metric.py defines no function 'score'"),
        ("def score(y):\n    return 0.0\n", "it must take (labels, predictions)"),
        ("import os\nos._exit(1)\n", "the process ended or took too long while loading"),
        ("def score(y, p):\n    return y / 'x'\n", "the metric failed with the labels as predictions: score failed: "),
        ("def score(y, p):\n    return 'good'\n", "it returned str, not a number"),
        ("def score(y, p):\n    return 3.0\n", "score returned 3.0; a number within (0.0, 1.0) is needed"),
        ("def score(y, p, sample_weight):\n    return 0.5\n", "score ignores its sample_weight"),
    ],
)
def test_check_tells_the_organiser_what_is_wrong_with_a_metric(tmp_path: Path, source: str, sentence: str) -> None:
    found = errors(inspect(tmp_path, FOLDER, metric__py=source))
    assert found[0].startswith("competition.toml:3: ")
    assert sentence in found[0]


@has_filter
def test_a_metric_may_start_no_process_that_would_outlive_it(tmp_path: Path) -> None:
    found = errors(inspect(tmp_path, FOLDER, metric__py="import subprocess\nsubprocess.run(['/bin/true'])\n"))
    assert "cannot load it: PermissionError: [Errno 1] Operation not permitted (line 2)" in found[0]


def test_a_metric_that_needs_longer_than_its_limit_is_refused_before_anybody_is_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if every call took 100 seconds."""
    score = MetricProcess.score
    monkeypatch.setattr(
        MetricProcess, "score", lambda self, arrays, seconds, spend: score(self, arrays, seconds, lambda _: spend(100))
    )
    found = only(inspect(tmp_path / "refused", FOLDER + "time_limit = 600\n", metric__py=WRONG))
    assert (found.line, found.is_warning) == (8, False)
    assert found.message.startswith(
        "scoring one submission takes longer than the limit of 600 s, so all would fail; raise time_limit"
    )


def test_a_metric_must_be_a_python_file_of_the_folder(tmp_path: Path) -> None:
    assert "there is no file metric.py in the folder" in only(inspect(tmp_path / "a", FOLDER)).message
    (tmp_path / "outside.py").write_text(WRONG)
    outside = FOLDER.replace("metric.py", "../outside.py")
    assert "there is no file ../outside.py in the folder" in only(inspect(tmp_path / "b", outside)).message
    assert "it must be a Python file" in only(inspect(tmp_path / "c", FOLDER.replace("metric.py", "metric.sh"))).message


def shift(labels: Any, predictions: Any) -> float:
    return float(abs((labels - predictions).mean()))


@pytest.mark.parametrize(
    ("value", "options", "name"),
    [
        ("ladderboard.metrics.mae:MeanAbsoluteError", {}, "mae"),
        ("ladderboard.metrics.pinball:Pinball", {"quantile": 0.9}, "pinball@0.9"),
        ("tests.scoring.test_custom_metric:shift", {"lower_is_better": True, "bounds": [0, 1e9]}, "theirs"),
    ],
)
def test_an_installed_package_may_offer_metrics(
    monkeypatch: pytest.MonkeyPatch, value: str, options: dict[str, Any], name: str
) -> None:
    point = EntryPoint("theirs", value, metric_choice.ENTRY_POINTS)
    monkeypatch.setattr(metric_choice, "entry_points", lambda group: [point] if group == point.group else [])
    rules = Rules(slug="x", title="x", metric="theirs", mechanism="ladder", metric_options=options)
    metric = load_metric(rules, None)
    assert metric.name == name
    assert metric.score([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]) > 0
    with pytest.raises(ParameterError, match="did you mean theirs"):
        load_metric(Rules(slug="x", title="x", metric="theirz", mechanism="ladder"), None)


def test_a_package_that_cannot_be_loaded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("theirs", "nothing.of.the.kind:x", metric_choice.ENTRY_POINTS)
    monkeypatch.setattr(metric_choice, "entry_points", lambda group: [point] if group else [])
    with pytest.raises(ParameterError, match=r"cannot load nothing\.of\.the\.kind:x: ModuleNotFoundError"):
        load_metric(Rules(slug="x", title="x", metric="theirs", mechanism="ladder"), None)
