"""`ladderboard lab arena`: every mechanism under every attack and on honest submissions."""

import shlex
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from ladderboard_lab.arena.arena import Plan, run_arena
from ladderboard_lab.arena.picture import write_picture
from ladderboard_lab.arena.report import report_json, terminal_tables, write_report
from ladderboard_lab.arena.summary import summarise
from ladderboard_lab.foreign_code import explain_failures
from ladderboard_lab.plugins import find_attack, find_mechanism, find_problem

QUICK = {"n": 200, "k": 150, "repetitions": 1, "stream_repetitions": 2, "stream_length": 40}


@click.command()
@click.option("--n", type=int, help="Number of public items.  [default: 1000]")
@click.option("--k", type=click.IntRange(min=1), help="Submissions per attack.  [default: 2000]")
@click.option("--repetitions", type=click.IntRange(min=1), help="Runs per attack.  [default: 3]")
@click.option("--stream-repetitions", type=click.IntRange(min=1), help="Runs per honest stream.  [default: 10]")
@click.option(
    "--mechanism",
    "mechanisms",
    multiple=True,
    metavar="NAME",
    help="Include only this one, or file.py:Class; repeatable.",
)
@click.option(
    "--attack", "attacks", multiple=True, metavar="NAME", help="Include only this one, or file.py:Class; repeatable."
)
@click.option(
    "--problem",
    metavar="NAME",
    help="Attack only this problem, or file.py:function.  [default: what suits each attack]",
)
@click.option(
    "--board", type=click.Choice(["team", "rank"]), help="One mechanism instance per team or per rank.  [default: team]"
)
@click.option("--quick", is_flag=True, help="Small sizes and one run each, for a first look.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The same seed gives the same table."
)
@click.option("--workers", default=1, show_default=True, type=click.IntRange(min=1), help="Processes on this machine.")
@click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler, such as tcp://10.0.0.1:8786.")
@click.option(
    "--out",
    default=Path("arena"),
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for the table, the figure and finished cells.",
)
@click.option("--json", "as_json", is_flag=True, help="Print arena.json instead of the table.")
def arena(
    *,
    seed: int,
    workers: int,
    cluster: str | None,
    out: Path,
    quick: bool,
    as_json: bool,
    **options: Any,
) -> None:
    r"""Run every mechanism against every attack that fits, and on streams of honest submissions.

    Writes arena.csv (every number), arena.md (the table), arena.json, and arena.svg and .png (overfit against honest
    error). Finished cells are saved in cells.jsonl: run the same command in the same folder to resume. The result
    depends on the seed, not on the number of workers.

    \b
    Example:
      ladderboard lab arena --quick
      ladderboard lab arena --n 4000 --k 10000 --mechanism witness --mechanism parameter_free --workers 2 --out big
      ladderboard lab arena --mechanism witness --attack sybil --board rank --out ranked
    """
    plan, command = _make_plan(options, seed=seed, quick=quick), _spell_command(options, seed=seed, quick=quick)
    with explain_failures():
        summary = summarise(run_arena(plan, out, workers=workers, cluster=cluster))
    write_report(summary, out, command=command)
    write_picture(summary, out)
    if as_json:
        click.echo(report_json(summary, command=command), nl=False)
        return
    _print(summary, out)


def _make_plan(options: dict[str, Any], *, seed: int, quick: bool) -> Plan:
    given = {name: value for name, value in options.items() if value not in (None, ())}
    for word, resolve in (("mechanisms", find_mechanism), ("attacks", find_attack)):
        if word in given:
            given[word] = tuple(resolve(name) for name in given[word])
    if "problem" in given:
        given["problem"] = find_problem(given["problem"])
    return Plan(**{**(QUICK if quick else {}), **given, "seed": seed})


def _spell_command(options: dict[str, Any], *, seed: int, quick: bool) -> str:
    """Spell the command that reproduces the table."""
    words = ["ladderboard lab arena"] + (["--quick"] if quick else [])
    for name, value in {**options, "seed": seed or None}.items():
        option = "--" + name.removesuffix("s" if name in ("mechanisms", "attacks") else "").replace("_", "-")
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        words += [f"{option} {shlex.quote(str(one))}" for one in values]
    return " ".join(words)


def _print(summary: Any, out: Path) -> None:
    console = Console(highlight=False)
    for table in terminal_tables(summary, width=console.width):
        console.print(table)
    console.print(f"Written to {out}: arena.csv, arena.md, arena.json, arena.svg, arena.png", soft_wrap=True)
