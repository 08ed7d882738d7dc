"""Mechanisms, attacks and experiments of one's own: the guide's file, run by the commands on two workers."""

import json
import os
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import ladderboard as lb
from ladderboard.cli.main import cli
from ladderboard_lab import plugins
from ladderboard_lab.arena.arena import Plan, run_arena
from ladderboard_lab.arena.picture import write_picture
from ladderboard_lab.arena.report import report_markdown
from ladderboard_lab.arena.summary import summarise
from ladderboard_lab.experiments import experiment_named
from ladderboard_lab.foreign_code import explain_failures
from ladderboard_lab.run import run_tasks

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "write-a-mechanism.md"
ATTACK = """
from dataclasses import dataclass
from ladderboard_lab.attacks.boosting import Boosting

@dataclass(frozen=True)
class Generous(Boosting):
    name = "generous"
    limit: float = 0.51

    def weigh(self, release):
        return float(release.value is not None and release.value <= self.limit)
"""
BARE = """
from abc import abstractmethod
import ladderboard as lb

class Bare(lb.Mechanism):
    pass

class Ruleless(lb.Ladder):
    @abstractmethod
    def rule(self, state, candidate, incumbent, rng): ...

class Short(lb.Ladder):
    def rule(self, state, candidate):
        return None
"""
MISTAKES = """
from dataclasses import dataclass
import ladderboard as lb
from ladderboard_lab.attacks.boosting import Boosting
from ladderboard_lab.experiments.base import experiment

@dataclass(frozen=True)
class Number(lb.Ladder):
    def rule(self, state, candidate, incumbent, rng):
        return 0.5

@dataclass(frozen=True)
class Raising(lb.Ladder):
    def rule(self, state, candidate, incumbent, rng):
        raise KeyError("weights")

@dataclass(frozen=True)
class Pair(Boosting):
    def run(self, participant, *, budget, rng):
        return [0, 1]

def fail(task, seed):
    raise RuntimeError("in a worker")

@experiment(id="own-failing", title="Fails", claim="", controls=())
def failing(conditions):
    return conditions.run(fail, [1, 2])

@experiment(id="own-nothing", title="Nothing", claim="", controls=())
def nothing(conditions):
    return None

@dataclass(frozen=True)
class Undefined(lb.Ladder):
    def rule(self, state, candidate, incumbent, rng):
        return lb.Ruling(True, True, float("nan"), float("nan"))
"""
PROBLEM = """
from ladderboard_lab.problems.coin_flips import coin_flips

def half_private(rng, n):
    return coin_flips(rng, n=n, private=n)

def nothing(rng, n):
    return None
"""
EXPERIMENT = """
from ladderboard_lab.experiments.base import ExperimentResult, ResultTable, Verdict, experiment, self_consistent

def double(number, seed):
    return 2 * number

@experiment(id="own-doubles", title="Doubles", claim="Is twice two four?", controls=())
def own_doubles(conditions):
    found = conditions.run(double, [1, 2, 3])
    check = self_consistent("doubles are doubles", found == [2, 4, 6])
    table = ResultTable(("double",), [(number,) for number in found])
    return ExperimentResult(table, lambda figure: figure.subplots(), Verdict((check,), "They are."))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The file of the guide, an attack and an experiment."""
    (source,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    (tmp_path / "median_ladder.py").write_text(source)
    (tmp_path / "mine.py").write_text(ATTACK)
    (tmp_path / "own.py").write_text(PROBLEM)
    (tmp_path / "study.py").write_text(EXPERIMENT)
    return tmp_path


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["lab", *map(str, words)])


def test_the_guides_mechanism_has_about_40_lines() -> None:
    (source,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert len([line for line in source.splitlines() if line.strip()]) <= 40


def test_one_attack_runs_on_a_mechanism_and_with_an_attack_from_files(folder: Path) -> None:
    words = (
        "attack",
        "--attack",
        f"{folder}/mine.py:Generous",
        "--mechanism",
        f"{folder}/median_ladder.py:MedianLadder",
    )
    result = run(*words, "--set", "share=.7", "--attack-set", "limit=.5", "--n", 200, "--k", 50, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["attack"], told["setting"], told["parameters"]) == ("generous", "limit=0.5", {"share": 0.7})


def test_the_arena_runs_them_on_two_workers_with_the_result_of_one(folder: Path) -> None:
    mechanism = plugins.find_mechanism(f"{folder}/median_ladder.py:MedianLadder")
    attack = plugins.find_attack(f"{folder}/mine.py:Generous")
    sizes = {"n": 120, "k": 20, "repetitions": 1, "streams": ("nested",), "stream_length": 10, "stream_repetitions": 1}
    plan = Plan(mechanisms=("witness", mechanism), attacks=("boosting", attack), **sizes)  # type: ignore[arg-type]
    alone, shared = (run_arena(plan, folder / f"arena{workers}", workers=workers, quiet=True) for workers in (1, 2))
    assert alone.records == shared.records
    summary = summarise(shared)
    assert "median_ladder" in report_markdown(summary, command="")
    assert "generous" in report_markdown(summary, command="")
    write_picture(summary, folder)


def test_an_experiment_from_a_file_runs_on_two_workers(folder: Path) -> None:
    result = run("reproduce", f"{folder}/study.py:own_doubles", "--workers", 2, "--out", folder / "out")
    assert result.exit_code == 0, result.output
    assert "The paper:" not in (folder / "out" / "report.html").read_text()


def test_entry_points_are_found_by_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    points = {
        plugins.MECHANISMS: EntryPoint("theirs", "ladderboard:WitnessLadder", plugins.MECHANISMS),
        plugins.ATTACKS: EntryPoint("their_attack", "ladderboard_lab.attacks.boosting:Boosting", plugins.ATTACKS),
        "ladderboard.experiments": EntryPoint(
            "their-figure", "ladderboard_lab.experiments.neto.traces:fig1", "ladderboard.experiments"
        ),
    }
    monkeypatch.setattr(plugins, "entry_points", lambda group, **_: [points[group]])
    plugins.list_entry_points.cache_clear()
    try:
        assert plugins.find_mechanism("theirs") == lb.WitnessLadder()
        assert plugins.find_attack_class("their_attack").name == "boosting"
        assert experiment_named("their-figure").id == "neto-fig1"
    finally:
        monkeypatch.undo()
        plugins.list_entry_points.cache_clear()


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("nowhere.py:X", "there is no file"),
        ("median_ladder.py:Nothing", "has no 'Nothing'; it has MedianLadder"),
        ("median_ladder.py:np", "is no mechanism: it must be a class that extends Mechanism"),
        ("broken.py:X", "broken.py cannot be imported: ZeroDivisionError"),
        ("in_need.py:X", "No module named 'own'. A file stands alone: move what it needs of own.py into it"),
        ("bare.py:Bare", "lacks name, label, family"),
        ("bare.py:Ruleless", "Ruleless lacks rule"),
        ("bare.py:Short", "rule cannot be called as rule(self, state, candidate, incumbent, rng)"),
    ],
)
def test_what_cannot_be_loaded_is_told_in_one_sentence(folder: Path, place: str, sentence: str) -> None:
    (folder / "broken.py").write_text("1 / 0\n")
    (folder / "bare.py").write_text(BARE)
    (folder / "in_need.py").write_text("from own import half_private\n")
    with pytest.raises(lb.ParameterError, match=re.escape(sentence)):
        plugins.find_mechanism(f"{folder}/{place}")


def test_a_problem_from_a_file_is_attacked_by_one_attack_and_in_the_arena(folder: Path) -> None:
    words = ("attack", "--attack", "hill_climb", "--n", 60, "--k", 20, "--json", "--problem")
    told = json.loads(run(*words, f"{folder}/own.py:half_private").stdout)
    assert told["problem"] == "half_private"
    assert "nothing returned NoneType; it must return a Problem" in run(*words, f"{folder}/own.py:nothing").output
    assert "there is no problem 'coin_flip'; did you mean coin_flips?" in run(*words, "coin_flip").output
    sizes = ("--n", 100, "--k", 10, "--repetitions", 1, "--stream-repetitions", 1, "--mechanism", "witness")
    chosen = ("--attack", "hill_climb", "--attack", "step_forward", "--problem", f"{folder}/own.py:half_private")
    result = run("arena", *sizes, *chosen, "--workers", 2, "--out", folder / "arena", "--json")
    assert result.exit_code == 0, result.output
    plan = json.loads(result.stdout)["plan"]
    assert plan["problem"] == "half_private"
    assert plan["attacks"] == ["hill_climb"]  # step_forward needs features


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("attack --attack boosting --mechanism {}:Number", "ladder: rule returned float; it must return a Ruling"),
        ("attack --attack boosting --mechanism {}:Undefined", "ladder: rule returned nan; a number on a board must be"),
        ("reproduce {}:missing", "mistakes.py has no 'missing'; it has Number, Raising, Pair, fail, failing, nothing"),
        ("attack --attack boosting --mechanism {}:Raising", "mistakes.py, line 15, in rule: KeyError: 'weights'"),
        ("attack --attack {}:Pair", "run returned 2 values; it must return its final predictions, an array of 1,000"),
        ("reproduce {}:failing --workers 2", "mistakes.py, line 23, in fail: RuntimeError: in a worker"),
        ("reproduce {}:nothing", "own-nothing returned NoneType; it must return an ExperimentResult"),
    ],
)
def test_a_mistake_in_a_file_of_ones_own_gets_one_sentence(tmp_path: Path, words: str, sentence: str) -> None:
    (tmp_path / "mistakes.py").write_text(MISTAKES)
    out = ("--out", tmp_path / "out") if words.startswith("reproduce") else ("--k", 5)
    result = run(*words.format(tmp_path / "mistakes.py").split(), *out)
    assert result.exit_code != 0
    told = result.output if isinstance(result.exception, SystemExit) else str(result.exception)
    assert sentence in told
    assert "Traceback" not in told


def test_a_failure_of_ours_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError), explain_failures():
        1 / 0  # noqa: B018 (it is to fail)


def test_a_changed_file_is_run_again_and_the_command_names_it(folder: Path) -> None:
    place, words = f"{folder}/study.py:own_doubles", ("--workers", 1, "--out", folder / "out")
    assert "already there" not in run("reproduce", place, *words).output
    assert "already there" in run("reproduce", place, *words).output
    record = json.loads((folder / "out" / "own-doubles.json").read_text())
    assert record["command"] == "ladderboard lab reproduce study.py:own_doubles"
    (folder / "study.py").write_text(EXPERIMENT + "# changed\n")
    assert "already there" not in run("reproduce", place, *words).output


def worker_id(_task: None, _seed: object) -> int:
    return os.getpid()


def test_a_run_that_is_stopped_ends_its_workers() -> None:
    finished = run_tasks(worker_id, [None] * 8, seed=0, workers=2, quiet=True)
    _, worker = next(finished)
    finished.close()  # type: ignore[attr-defined]  # a generator
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
