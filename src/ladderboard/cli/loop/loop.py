"""`ladderboard loop`: steer by open tasks, certify by guarded ones."""

import json
from pathlib import Path
from typing import Any

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli.loop.opening import FILE, open_loop, refuse_reach, to_json
from ladderboard.core.words import pluralise

KEPT, NOT_KEPT = 3, 1

COMMANDS = {
    "rehearse": ("ladderboard.cli.loop.rehearse:rehearse", "Before a loop: what its tasks can prove."),
    "init": ("ladderboard.cli.loop.loop:init", "Split tasks into open and guarded ones, and pin the grader."),
    "propose": ("ladderboard.cli.loop.loop:propose", "Propose a candidate: a command, or a file of outputs."),
    "status": ("ladderboard.cli.loop.status:status", "Show all proposals, and what is certified."),
    "serve": ("ladderboard.cli.loop.serve:serve", "Serve an agent's tools: propose, status, why (MCP)."),
    "report": ("ladderboard.cli.loop.status:report", "Write the state as a page, a picture or a comment."),
}
"""Name → (module:object, one-line help)."""


@click.group(cls=LazyGroup, sections={"Commands": COMMANDS})
def loop() -> None:
    r"""Referee a system that improves itself: open tasks steer, guarded tasks certify, one grader judges both.

    \b
    Example:
      ladderboard loop init tasks.jsonl --grader grade.py --to loop.db
      ladderboard loop propose loop.db --folder agent/ -- python3 agent.py
      ladderboard loop status loop.db
    """


@click.command()
@click.argument("tasks", type=click.Path(path_type=Path))
@click.option("--grader", type=FILE, required=True, help="A Python file with grade(item, output).")
@click.option("--to", "path", required=True, type=FILE, help="The loop's file to create.")
@click.option("--open-share", default=0.5, show_default=True, help="The share of the tasks that steer.")
@click.option("--bounds", type=float, nargs=2, default=(0.0, 1.0), show_default=True, help="The range of a score.")
@click.option("--seed", type=int, help="Makes the split reproducible.")
def init(
    tasks: Path, *, grader: Path, path: Path, open_share: float, bounds: tuple[float, float], seed: int | None
) -> None:
    r"""Split TASKS (JSON lines, or a folder) into open and guarded tasks, once, and pin the grader.

    A task has an id and an input, which candidates see, perhaps a group, and other fields for the grader alone.

    \b
    Example:
      ladderboard loop init tasks.jsonl --grader grade.py --to loop.db
    """
    from ladderboard.cli.guard.note import Note, save_note
    from ladderboard.core.errors import GuardFileError
    from ladderboard.guard.file import publish
    from ladderboard.loop.loop import Loop

    try:
        if path.exists():  # said before the grader is tried
            raise FileExistsError
        with publish(path) as draft:
            with Loop(tasks, grader, open_share=open_share, path=draft, seed=seed, bounds=bounds) as made:
                steer = pluralise("{n} open task steers", "{n} open tasks steer", len(made.open))
                certify = pluralise("{n} guarded one certifies", "{n} guarded ones certify", len(made.guarded))
            save_note(draft, Note(tasks=str(tasks.absolute()), grader=str(grader.absolute())))
    except FileExistsError:
        raise GuardFileError(f"{path} already exists; propose to it, or choose another name") from None
    click.echo(f"{path}: {steer}, {certify}; next, propose the system in use")


@click.command()
@click.argument("path", metavar="LOOP", type=FILE)
@click.argument("command", nargs=-1)
@click.option("--outputs", type=FILE, help="Instead of a command: lines with an id and an output.")
@click.option(
    "--folder", type=click.Path(file_okay=False, exists=True, path_type=Path), help="What the command may read."
)
@click.option("--repeats", default=4, show_default=True, type=click.IntRange(1), help="Runs of each task.")
@click.option("--seconds", default=600.0, show_default=True, help="How long a run of all tasks may take.")
@click.option("--network", is_flag=True, help="Let the command use the network, such as to ask a model.")
@click.option("--check-user", metavar="NAME", help="Refuse if this user could reach the tasks, the grader or LOOP.")
@click.option("--name", default="", help="A name for the candidate; the same candidate is one, whatever it is called.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.pass_context
def propose(
    ctx: click.Context,
    path: Path,
    command: tuple[str, ...],
    *,
    outputs: Path | None,
    folder: Path | None,
    repeats: int,
    seconds: float,
    network: bool,
    check_user: str | None,
    name: str,
    as_json: bool,
) -> None:
    r"""Run a candidate on the open tasks of LOOP, decide, and ask the guard where they are convinced.

    COMMAND runs in the sandbox: it reads tasks as JSON lines and writes lines with an id and an output. Exit code: 0
    certified; 3 kept, not certified; 1 discarded or undecided; 2 an error, which is said.

    \b
    Example:
      ladderboard loop propose loop.db --folder agent/ -- python3 agent.py
      ladderboard loop propose loop.db --outputs outputs.jsonl
    """
    from ladderboard.guard.tasks import read_outputs
    from ladderboard.loop.program import Program
    from ladderboard.loop.report import describe_changes
    from ladderboard.scoring.sandbox import SandboxLimits

    if bool(command) == (outputs is not None):
        raise click.UsageError("give a COMMAND after --, or --outputs, not both")
    with open_loop(path) as (judge, secrets):
        if check_user is not None:
            refuse_reach(check_user, secrets)
        if outputs is not None:
            found = judge.propose(read_outputs(outputs), name=name)
        else:
            program = Program(command, folder, repeats, SandboxLimits(seconds=seconds, has_network=network))
            program.refuse_secrets(secrets)

            def run_all(tasks: list[Any]) -> dict[str, list[Any]]:
                return program.run(tasks, is_open=tasks == judge.open.show())

            found = judge.propose_runs(run_all, candidate=program.identity, name=name)
        changes = judge.grader_changes
    click.echo(json.dumps(to_json(found)) if as_json else found.describe())
    if found.number == 1 and changes:
        click.echo(f"The grader: {describe_changes(changes)}", err=True)
    ctx.exit(0 if found.certified else KEPT if found.kept else NOT_KEPT)
