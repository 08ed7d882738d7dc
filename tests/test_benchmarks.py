"""The benchmark table: what it finds, what it says, and that a missed target is marked and fails."""

import math
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as table
from benchmarks.row import Row, compare


def run_with(rows: list[Row], names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(run=lambda: rows)
    monkeypatch.setattr(table, "_modules", lambda: iter([("one", module), ("row", SimpleNamespace())]))
    table.main(names)


def test_every_module_with_a_run_is_a_benchmark() -> None:
    found = {name for name, module in table._modules() if hasattr(module, "run")}
    assert {"guard", "ranking", "replicates", "startup"} <= found
    assert "row" not in found


def test_a_missed_target_is_marked_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        Row("slow thing", 3.0, 1.0, 2.0),
        Row("fast thing", 0.001, 0.05, 1 / 20),
        Row("small thing", 30.0, 300.0, 1.0, unit="MB"),
        Row("peerless thing", 2.0, math.inf, 1 / 20),
    ]
    with pytest.raises(SystemExit, match=r"missed: slow thing$"):
        run_with(rows, [], monkeypatch)
    lines = {line.split("│")[1].strip(): line for line in capsys.readouterr().out.splitlines() if "thing" in line}
    assert "3.00" in lines["slow thing"]
    assert "MISSED" in lines["slow thing"]
    assert "50.0× faster" in lines["fast thing"]
    assert "yes" in lines["fast thing"]
    assert "30 MB" in lines["small thing"]
    assert "yes" not in lines["peerless thing"]


def test_it_ends_well_where_every_target_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    run_with([Row("fast thing", 0.001, 0.05, 1 / 20), Row("peerless thing", 2.0, math.inf, 1 / 20)], [], monkeypatch)


def test_an_unknown_name_lists_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="no benchmark is named two; there are one"):
        run_with([], ["two"], monkeypatch)


def test_a_comparison_keeps_the_best_of_each_and_leaves_out_the_first_round() -> None:
    calls: list[tuple[str, int]] = []
    row = compare("x", lambda n: calls.append(("ours", n)), lambda n: calls.append(("floor", n)), target=1.0, rounds=2)
    assert calls == [(side, number) for number in range(3) for side in ("ours", "floor")]
    assert 0 < row.ours < 1
    assert row.holds == (row.ratio <= 1.0)
