"""`ladderboard loop rehearse`: what a loop would say to copies of the system in use, and what the tasks can prove."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli._shared.console import show_progress
from ladderboard.cli.loop.opening import FILE

if TYPE_CHECKING:
    from ladderboard.loop.rehearsal import LoopRehearsal


@click.command()
@click.argument("tasks", type=click.Path(path_type=Path))
@click.argument("command", nargs=-1)
@click.option("--grader", type=FILE, required=True, help="A Python file with grade(item, output).")
@click.option("--outputs", type=FILE, help="Instead of a command: lines with an id and an output, several for each id.")
@click.option(
    "--folder", type=click.Path(file_okay=False, exists=True, path_type=Path), help="What the command may read."
)
@click.option("--gain", default=0.05, show_default=True, help="The gain that should be certified.")
@click.option("--power", default=0.8, show_default=True, help="In which share of the cases.")
@click.option("--repeats", default=4, show_default=True, type=click.IntRange(2), help="Runs of each task.")
@click.option("--open-share", default=0.5, show_default=True, help="The share of the tasks that steer, for the copies.")
@click.option("--bounds", type=float, nargs=2, default=(0.0, 1.0), show_default=True, help="The range of a score.")
@click.option("--seconds", default=600.0, show_default=True, help="How long a run of all tasks may take.")
@click.option("--network", is_flag=True, help="Let the command use the network, such as to ask a model.")
@click.option("--seed", default=0, show_default=True, help="Makes the rehearsal reproducible.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def rehearse(
    tasks: Path,
    command: tuple[str, ...],
    *,
    grader: Path,
    outputs: Path | None,
    folder: Path | None,
    gain: float,
    power: float,
    repeats: int,
    open_share: float,
    bounds: tuple[float, float],
    seconds: float,
    network: bool,
    seed: int,
    as_json: bool,
) -> None:
    r"""Rehearse a loop on TASKS with the system in use: COMMAND, run as by `loop propose`, or --outputs.

    Copies of it go through loops that are thrown away. None is better, so every certificate is false. The noise of
    its runs says which gain so many tasks and runs can certify. Nothing is recorded.

    \b
    Example:
      ladderboard loop rehearse tasks.jsonl --grader grade.py --folder agent/ -- python3 agent.py
      ladderboard loop rehearse tasks.jsonl --grader grade.py --outputs outputs.jsonl --gain 0.03
    """
    from ladderboard.guard.tasks import read_outputs
    from ladderboard.loop.outputs import run_often
    from ladderboard.loop.program import Program
    from ladderboard.loop.rehearsal import rehearse_loop
    from ladderboard.scoring.sandbox import SandboxLimits

    if bool(command) == (outputs is not None):
        raise click.UsageError("give a COMMAND after --, or --outputs, not both")
    if outputs is not None:
        run_all = run_often(read_outputs(outputs), repeats)
    else:
        program = Program(command, folder, repeats, SandboxLimits(seconds=seconds, has_network=network))
        program.refuse_secrets((tasks, grader))

        def run_all(shown: list[Any]) -> dict[str, list[Any]]:
            return program.run(shown, is_open=True)

    with show_progress("Rehearsing") as progress:
        found = rehearse_loop(
            tasks,
            grader,
            run_all,
            gain=gain,
            power=power,
            repeats=repeats,
            open_share=open_share,
            bounds=bounds,
            seed=seed,
            progress=progress,
        )
    if as_json:
        click.echo(json.dumps({**asdict(found), "interval": found.interval, "proposed": asdict(found.proposed)}))
    else:
        _print(found)


def _print(found: "LoopRehearsal") -> None:
    for sentence in found.sentences():
        click.echo(sentence)
    click.echo(f"\nruns  these {found.tasks} certify it in  for {found.wanted_power:.0%} it takes (open + guarded)")
    for one, needed in zip(found.plans, found.needed, strict=True):
        click.echo(f"{one.repeats:>4}  {one.power:>21.0%}  {needed.open_tasks} + {needed.guarded_tasks}")
