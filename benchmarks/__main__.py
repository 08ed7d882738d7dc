"""Run the benchmarks and print one table: ``python -m benchmarks [name …]``.

Every module here that has a ``run() -> list[Row]`` is a benchmark. Times depend on the machine, ratios hardly do. The
table marks a missed target, and the exit code is then 1.
"""

import importlib
import math
import pkgutil
import sys
from collections.abc import Iterator
from types import ModuleType

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import benchmarks
from benchmarks.row import Row


def main(names: list[str]) -> None:
    """Run the named benchmarks, or all of them."""
    known = {name: module for name, module in _modules() if hasattr(module, "run")}
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"no benchmark is named {', '.join(unknown)}; there are {', '.join(known)}")
    # A pipe has no width of its own; 80 columns would fold every line.
    console = Console() if sys.stdout.isatty() else Console(width=160)
    table, rows = _table(), _measure({name: known[name] for name in names or known})
    for row in rows:
        table.add_row(row.what, _amount(row.ours, row), _amount(row.floor, row), *_verdict(row))
    console.print(table)
    missed = [row.what for row in rows if not row.holds]
    if missed:
        sys.exit(f"missed: {'; '.join(missed)}")


def _modules() -> Iterator[tuple[str, ModuleType]]:
    for found in pkgutil.iter_modules(benchmarks.__path__):
        if not found.name.startswith("_"):
            yield found.name, importlib.import_module(f"benchmarks.{found.name}")


def _measure(modules: dict[str, ModuleType]) -> list[Row]:
    columns = (SpinnerColumn(), TextColumn("{task.completed} of {task.total}"), TextColumn("{task.description}"))
    rows: list[Row] = []
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(modules))
        for name, module in modules.items():
            progress.update(task, description=f"measuring {name}")
            rows.extend(module.run())
            progress.advance(task)
    return rows


def _table() -> Table:
    table = Table(title="Ladderboard against floors and peers, measured in one run")
    table.add_column("what", ratio=1)
    for heading in ("ours", "floor or peer", "ratio", "target", "holds"):
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _amount(amount: float, row: Row) -> str:
    if math.isinf(amount):
        return "–"
    if row.unit != "s":
        return f"{amount:.0f} {row.unit}"
    return f"{amount:.2f} s" if amount >= 1 else f"{1000 * amount:.3g} ms"


def _verdict(row: Row) -> tuple[str, str, str]:
    """Ratio, target and whether it holds; speed-ups are told as such, and nothing where there was no peer."""
    if math.isinf(row.floor):
        return "–", "–", "–"
    holds = "[green]yes[/]" if row.holds else "[bold red]MISSED[/]"
    if row.target < 1 and row.unit == "s":
        return f"{1 / row.ratio:.1f}× faster", f"≥ {1 / row.target:g}×", holds
    return f"{row.ratio:.2f}", f"≤ {row.target:g}", holds


if __name__ == "__main__":
    main(sys.argv[1:])
