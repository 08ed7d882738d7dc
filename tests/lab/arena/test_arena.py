"""The arena: names and sizes are checked, finished cells survive a kill, and no number depends on the workers."""

import json
import math
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import ladderboard as lb
from ladderboard_lab.arena.arena import Arena, Plan, run_arena
from ladderboard_lab.arena.picture import spread_apart, write_picture
from ladderboard_lab.arena.report import (
    build_table,
    report_csv,
    report_json,
    report_markdown,
    terminal_tables,
    write_report,
)
from ladderboard_lab.arena.summary import ArenaSummary, summarise
from ladderboard_lab.arena.variants import list_variants
from ladderboard_lab.attacks import ATTACKS

SMALL = Plan(
    n=120,
    k=60,
    repetitions=2,
    stream_repetitions=2,
    stream_length=60,
    mechanisms=("full_disclosure", "ladder", "ladder_boot_10", "witness"),
    attacks=("boosting", "hill_climb", "look", "log_loss_oracle", "repeat_averaging", "sybil"),
    streams=("nested", "teams"),
    seed=3,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arena")


@pytest.fixture(scope="module")
def small(folder: Path) -> Arena:
    return run_arena(SMALL, folder, quiet=True)


@pytest.fixture(scope="module")
def summary(small: Arena) -> ArenaSummary:
    return summarise(small)


def test_every_cell_of_the_plan_is_there_once(small: Arena) -> None:
    attacks = [record for record in small.records if record["kind"] == "attack"]
    settings = sum(len(settings) for settings in SMALL.list_attacks().values())
    assert len(attacks) == settings * 4 * 2
    assert len({(one["mechanism"], one["attack"], one["setting"], one["repetition"]) for one in attacks}) == len(
        attacks
    )
    honest = [record for record in small.records if record["kind"] == "honest"]
    assert len(honest) == 2 * 4 * 2


def test_two_workers_give_the_table_that_one_gives(small: Arena, tmp_path: Path) -> None:
    other = run_arena(SMALL, tmp_path, workers=2, quiet=True)
    assert other.records == small.records
    assert report_json(summarise(other), command="") == report_json(summarise(small), command="")


def test_another_seed_gives_other_numbers(tmp_path: Path) -> None:
    plan = replace(SMALL, seed=4, attacks=("boosting",), streams=("nested",), repetitions=1, stream_repetitions=1)
    one = run_arena(plan, tmp_path / "4", quiet=True)
    other = run_arena(replace(plan, seed=5), tmp_path / "5", quiet=True)
    assert one.records != other.records


# -- resumability -----------------------------------------------------------------------------------------------------

KILLED = """
from pathlib import Path
from tests.lab.arena.test_arena import SMALL
from tests.child_processes import die_beyond
from ladderboard_lab.arena.arena import run_arena
die_beyond({size})
run_arena(SMALL, Path({folder!r}), quiet=True)
"""


def lines_of(folder: Path) -> list[str]:
    path = folder / "cells.jsonl"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def is_whole(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def test_a_killed_arena_goes_on_where_it_was(small: Arena, folder: Path, tmp_path: Path) -> None:
    whole = (folder / "cells.jsonl").stat().st_size
    killed = subprocess.run([sys.executable, "-c", KILLED.format(folder=str(tmp_path), size=whole // 2)], check=False)
    assert killed.returncode == -signal.SIGXFSZ
    kept = lines_of(tmp_path)
    tasks = len(SMALL.tasks())
    assert 8 <= len(kept) <= tasks
    assert not is_whole(kept[-1])
    resumed = run_arena(SMALL, tmp_path, quiet=True)
    after = lines_of(tmp_path)
    # What was finished is as it was, nothing was done twice, and the whole is what an undisturbed run gives.
    complete = [line for line in kept if is_whole(line)]
    assert after[: len(complete)] == complete
    assert len(after) == tasks + 1
    assert resumed.records == small.records


def test_a_line_that_was_cut_off_is_done_again(small: Arena, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "cells.jsonl"
    whole = (folder / "cells.jsonl").read_text(encoding="utf-8")
    path.write_text(whole[:-40], encoding="utf-8")
    assert run_arena(SMALL, tmp_path, quiet=True).records == small.records
    assert sorted(path.read_text(encoding="utf-8").splitlines()) == sorted(whole.splitlines())


def test_a_folder_with_cells_of_another_plan_is_refused(tmp_path: Path) -> None:
    plan = replace(SMALL, attacks=("boosting",), streams=("nested",), repetitions=1, stream_repetitions=1)
    run_arena(plan, tmp_path, quiet=True)
    with pytest.raises(lb.InputError, match="holds cells of another plan"):
        run_arena(replace(plan, k=61), tmp_path, quiet=True)


# -- the plan ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"attacks": ("bosting",)}, "there is no attack 'bosting'; did you mean boosting"),
        ({"mechanisms": ("witnes",)}, "there is no mechanism 'witnes'; did you mean witness"),
        ({"streams": ("nest",)}, "there is no stream 'nest'"),
        ({"n": 20}, "n is 20; the arena needs at least 100 items"),
        ({"k": 0}, "k and the repetitions must be at least 1"),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused_in_one_sentence(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(lb.ParameterError, match=sentence):
        replace(SMALL, **change)  # type: ignore[arg-type]  # any field


def test_every_mechanism_of_the_library_is_among_the_variants() -> None:
    from ladderboard_lab.arena.variants import make_variants

    assert {mechanism.name for mechanism in make_variants(n=1000, k=1000).values()} == {
        name for name, made in lb.MECHANISMS.items() if made.shows_scores
    }
    assert set(Plan().mechanisms) == set(list_variants())
    assert set(Plan().attacks) == set(ATTACKS)


def test_teams_without_a_number_have_no_place_in_the_order(tmp_path: Path) -> None:
    """The Certifier shows none until something is certified, and to some teams never."""
    plan = replace(SMALL, mechanisms=("certifier",), attacks=("hill_climb", "repeat_averaging"), streams=("teams",))
    [row] = [one for one in summarise(run_arena(plan, tmp_path, quiet=True)).mechanisms if one.mechanism == "certifier"]
    assert row.kendall_tau is None or -1 <= row.kendall_tau <= 1
    assert row.most_bits is None or row.most_bits > 0


# -- the report -------------------------------------------------------------------------------------------------------


def test_the_json_has_its_schema(summary: ArenaSummary) -> None:
    report = json.loads(report_json(summary, command="ladderboard lab arena"))
    assert report["schema"] == 1
    assert set(report) == {
        "schema",
        "command",
        "plan",
        "lower_bound_rate",
        "attacks",
        "honest",
        "mechanisms",
        "not_counted_as_worst",
    }
    assert report["lower_bound_rate"] == pytest.approx(math.sqrt(math.log(60) / 120))
    numbers = ("overfit", "overfit_before_final", "final_overfit", "revealed", "estimate_error", "bits")
    for row in report["attacks"]:
        assert row["status"] in ("ok", "spent", "refused")
        assert (row["status"] == "refused") == bool(row["reason"])
        assert all(row[name] is None or math.isfinite(row[name]) for name in numbers)
        assert row["runs"] == 2
    for row in report["honest"]:
        assert row["mean_error"] >= 0
        assert row["leaderboard_error"] >= row["mean_error"]
        assert row["lag"] >= 0
        assert (row["kendall_tau"] is not None) == (row["stream"] == "teams")
    assert [row["mechanism"] for row in report["mechanisms"]] == list(SMALL.mechanisms)


def test_the_reference_has_a_ratio_of_one_and_the_worst_attack_is_from_one_account(summary: ArenaSummary) -> None:
    by_name = {row.mechanism: row for row in summary.mechanisms}
    assert by_name["full_disclosure"].honest_ratio == 1.0
    for row in summary.mechanisms:
        assert row.worst_attack in ("boosting", "hill_climb", "look", "repeat_averaging")
        assert row.worst_overfit == max(
            one.overfit
            for one in summary.attacks
            if one.mechanism == row.mechanism and one.attack == row.worst_attack and one.overfit is not None
        )


def test_an_attack_stands_for_its_strongest_setting(summary: ArenaSummary) -> None:
    rows = [row for row in summary.attacks if (row.mechanism, row.attack) == ("full_disclosure", "hill_climb")]
    assert len(rows) == len(ATTACKS["hill_climb"].settings())
    assert summary.strongest("full_disclosure", "hill_climb").overfit == max(row.overfit or 0.0 for row in rows)


def test_a_mean_is_the_mean_of_its_runs(summary: ArenaSummary) -> None:
    runs = [
        record["overfit"]
        for record in summary.arena.records
        if record["kind"] == "attack" and (record["mechanism"], record["attack"]) == ("witness", "boosting")
    ]
    row = summary.strongest("witness", "boosting")
    assert row.overfit == pytest.approx(sum(runs) / 2)
    assert row.overfit_standard_error == pytest.approx(abs(runs[0] - runs[1]) / 2)


def test_the_table_says_where_a_mechanism_refuses_a_metric(summary: ArenaSummary) -> None:
    heading, rows = build_table(summary)
    cells = {row[0]: dict(zip(heading, row, strict=True)) for row in rows}
    assert cells["ladder"]["log-loss oracle"] == "refused"
    assert cells["full_disclosure"]["log-loss oracle"] == "100%"
    assert cells["full_disclosure"]["repeat"] == "±.0000"
    assert cells["full_disclosure"]["honest"] == "1.00×"
    assert float(cells["ladder_boot_10"]["bits"]) > 30


def test_the_report_is_written_as_csv_markdown_json_and_a_picture(summary: ArenaSummary, tmp_path: Path) -> None:
    write_report(summary, tmp_path, command="ladderboard lab arena")
    write_picture(summary, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {f"arena.{end}" for end in ("csv", "md", "json", "svg", "png")}
    lines = report_csv(summary).splitlines()
    assert len(lines) == 1 + len(summary.attacks) + len(summary.honest)
    assert len({line.count(",") for line in lines if '"' not in line}) == 1
    markdown = report_markdown(summary, command="ladderboard lab arena")
    tables = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(tables) == 2 * (2 + len(SMALL.mechanisms))
    svg = (tmp_path / "arena.svg").read_text(encoding="utf-8")
    for words in ("full disclosure", "witness", "√(log k/n)", "honest streams"):
        assert words in svg
    assert (tmp_path / "arena.png").read_bytes().startswith(b"\x89PNG")
    assert terminal_tables(summary)[-1].row_count == len(SMALL.mechanisms)


def test_labels_are_moved_apart_and_no_further() -> None:
    moved = spread_apart({"a": 0.1, "b": 0.11, "c": 0.5, "d": 0.9}, gap=0.1)
    assert moved["c"] == 0.5
    assert moved["d"] == 0.9
    assert moved["b"] - moved["a"] == pytest.approx(0.1)
    assert (moved["a"] + moved["b"]) / 2 == pytest.approx(0.105)
