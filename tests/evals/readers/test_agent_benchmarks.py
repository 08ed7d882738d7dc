"""tau-bench, tau2-bench, Terminal-Bench and Harbor: trials, errors, costs and runs that are not told apart by name."""

import json
from pathlib import Path
from shutil import rmtree

import numpy as np
import pytest

from ladderboard.core.errors import InputError
from ladderboard.evals import LossMatrix, read_results
from tests.evals.readers.written import write_json
from tests.evals.readers.written_agents import write_harbor, write_tau, write_tau2, write_terminal_bench


def read(path: Path, **options: object) -> LossMatrix:
    results = read_results(path, **options)  # type: ignore[arg-type]
    assert isinstance(results, LossMatrix)
    return results


TRIALS = ((1, 0), (1, 1), (0, 0))


def test_trials_of_tau_bench_are_repeats_and_the_file_names_the_model(tmp_path: Path) -> None:
    stem = "tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_1117120000"
    matrix = read(write_tau(tmp_path / f"{stem}.json", TRIALS))
    assert matrix.systems == ("gpt-4o",)
    assert matrix.items == ("0", "1", "2")
    assert matrix.losses.ravel().tolist() == [0.5, 0, 1]
    assert matrix.repeats is not None
    assert matrix.repeats.counts.ravel().tolist() == [2, 2, 2]


def test_two_domains_of_tau_bench_with_the_same_numbers_are_two_tasks(tmp_path: Path) -> None:
    write_tau(tmp_path / "gpt-4o-airline.json", TRIALS)
    write_tau(tmp_path / "gpt-4o-retail.json", TRIALS[:2], domain="retail", wish="return")
    matrix = read(tmp_path)
    assert matrix.systems == ("gpt-4o",)
    assert matrix.tasks == ("airline",) * 3 + ("retail",) * 2


def test_strategies_of_one_model_are_systems(tmp_path: Path) -> None:
    for strategy in ("act", "tool-calling"):
        write_tau(tmp_path / f"{strategy}-m-0.0_range_0--1_user-gpt-4o-llm_1117120000.json", TRIALS)
    assert set(read(tmp_path).systems) == {"m (strategy=act)", "m (strategy=tool-calling)"}


def test_errors_of_tau_bench_count_as_0_and_are_said(tmp_path: Path) -> None:
    matrix = read(write_tau(tmp_path / "m.json", ((1, None), (1, 1))))
    assert matrix.losses.ravel().tolist() == [0.5, 0]
    assert "m: 1 of 4 trials ended in an error and count as reward 0" in matrix.notes


def test_changed_tasks_of_one_number_are_refused(tmp_path: Path) -> None:
    write_tau(tmp_path / "a.json", TRIALS)
    write_tau(tmp_path / "b.json", TRIALS, wish="cancel")
    with pytest.raises(InputError, match=r"item '0' of airline is not the same in a.json and b.json"):
        read(tmp_path)


def test_simulations_that_the_infrastructure_ended_do_not_count(tmp_path: Path) -> None:
    matrix = read(write_tau2(tmp_path / "r.json", "m", ((1, None), (1, 0))))
    assert matrix.losses.ravel().tolist() == [0, 0.5]
    (left,) = matrix.left_out
    assert left.names == ("m on airline/0, trial 1",)
    assert "infrastructure" in left.reason
    assert matrix.costs is not None
    assert matrix.costs.unit == "USD"
    assert matrix.costs.means == (0.25,)


def test_planned_simulations_that_are_missing_are_counted(tmp_path: Path) -> None:
    path = write_tau2(tmp_path / "r.json", "m", TRIALS)
    document = json.loads(path.read_text())
    document["simulations"] = document["simulations"][:-1]
    write_json(path, document)
    (left,) = read(path).left_out
    assert len(left.names) == 1
    assert left.reason == "they are not in the file; of m on airline 6 were planned"


def test_simulations_in_files_of_their_own_are_read_by_their_index(tmp_path: Path) -> None:
    write_tau2(tmp_path / "one" / "results.json", "m", TRIALS, by_file=True)
    matrix = read(tmp_path)
    assert matrix.losses.ravel().tolist() == [0.5, 0, 1]
    assert matrix.left_out == ()
    (tmp_path / "two").mkdir()
    document = json.loads((tmp_path / "one" / "results.json").read_text())
    del document["simulation_index"]
    write_json(tmp_path / "one" / "results.json", document)
    assert read(tmp_path).losses.ravel().tolist() == [0.5, 0, 1]


def test_one_model_with_two_temperatures_is_two_systems_of_tau2(tmp_path: Path) -> None:
    for temperature in (0.0, 1.0):
        write_tau2(tmp_path / f"{temperature}.json", "m", TRIALS, settings={"temperature": temperature})
    assert set(read(tmp_path).systems) == {"m (temperature=0.0)", "m (temperature=1.0)"}


def test_trials_of_terminal_bench_count_once_though_two_files_have_them(tmp_path: Path) -> None:
    write_terminal_bench(tmp_path / "run", TRIALS)
    matrix = read(tmp_path)
    assert matrix.systems == ("terminus (openai/gpt)",)
    assert matrix.repeats is not None
    assert matrix.repeats.counts.ravel().tolist() == [2, 2, 2]
    assert matrix.left_out == ()
    (tmp_path / "run" / "results.json").unlink()
    assert np.array_equal(read(tmp_path).losses, matrix.losses)


def test_runs_of_terminal_bench_without_a_model_are_not_taken_for_one(tmp_path: Path) -> None:
    """Two boards' folders have one agent's name and no model, and were of two models."""
    for name in ("sonnet_1", "gpt_1"):
        write_terminal_bench(tmp_path / name, TRIALS, model=None)
    matrix = read(tmp_path)
    assert set(matrix.systems) == {"sonnet_1", "gpt_1"}
    assert any(note.startswith("no model is named in 2 of 2 runs (gpt_1, sonnet_1)") for note in matrix.notes)


def test_runs_of_terminal_bench_that_were_kept_as_files_are_systems_until_they_are_named(tmp_path: Path) -> None:
    """Five files ``DATE_results.json`` in one folder, as a board has them; nothing says that they are one system."""
    for number in range(3):
        write_terminal_bench(tmp_path / "run", TRIALS, model=None)
        for name in ("run_metadata.json", "tb.lock"):
            (tmp_path / "run" / name).unlink(missing_ok=True)
        (tmp_path / "run" / "results.json").rename(tmp_path / f"{number}_results.json")
        rmtree(tmp_path / "run")
    assert read(tmp_path).systems == tuple(f"{tmp_path.name}/{number}" for number in range(3))
    assert read(tmp_path, names="{system}/{seed}").systems == (tmp_path.name,)


def test_lost_trials_of_terminal_bench_are_not_resolved_and_said(tmp_path: Path) -> None:
    write_terminal_bench(tmp_path / "run", ((1, None), (1, 1)))
    matrix = read(tmp_path)
    assert matrix.losses.ravel().tolist() == [0.5, 0]
    assert "trials without an outcome count as not resolved: 1 of 4 in run" in matrix.notes


def test_trials_of_harbor_without_a_reward_count_as_0_and_cancelled_ones_do_not(tmp_path: Path) -> None:
    write_harbor(tmp_path / "a", ((1, None), (1, 1)))
    write_harbor(tmp_path / "b", ((1, None), (1, 1)), model="other", error="CancelledError")
    matrix = read(tmp_path)
    assert dict(zip(matrix.systems, matrix.scores.tolist(), strict=True)) == {
        "terminus-2 (org/gpt)": 0.75,
        "terminus-2 (org/other)": 1,
    }
    assert "a, terminus-2 (org/gpt): 1 of 4 trials have no reward and count as 0" in matrix.notes
    assert "left out 1 trial (task0__1): they were cancelled" in matrix.notes
    assert matrix.costs is not None
    assert matrix.costs.means == (0.5, 0.5)


def test_a_harbor_job_says_how_many_trials_are_missing(tmp_path: Path) -> None:
    write_harbor(tmp_path / "a", TRIALS)
    (tmp_path / "a" / "task0__0" / "result.json").unlink()
    assert "a: 5 of 6 trials are here" in read(tmp_path).notes


def test_the_result_of_a_harbor_job_alone_is_refused_unless_it_has_its_trials(tmp_path: Path) -> None:
    path = write_harbor(tmp_path / "a", TRIALS)
    with pytest.raises(InputError, match=r"a/result.json: it has the means of a job and no trials; give the job's"):
        read(path)
    trials = [json.loads(one.read_text()) for one in sorted((tmp_path / "a").glob("*/result.json"))]
    write_json(path, json.loads(path.read_text()) | {"trial_results": trials})
    assert read(path).losses.ravel().tolist() == [0.5, 0, 1]
    assert read(tmp_path).repeats.counts.ravel().tolist() == [2, 2, 2]  # type: ignore[union-attr] # no trial twice


def test_changed_tasks_of_harbor_are_refused(tmp_path: Path) -> None:
    write_harbor(tmp_path / "a", TRIALS)
    write_harbor(tmp_path / "b", TRIALS, model="other", checksum="new")
    with pytest.raises(InputError, match=r"item 'task0' of terminal-bench is not the same"):
        read(tmp_path)
