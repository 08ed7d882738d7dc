"""`ladderboard loop serve`: the referee's tools for an agent, over standard input and output."""

from pathlib import Path

import click

from ladderboard.cli.loop.opening import FILE, open_loop, refuse_reach


@click.command()
@click.argument("path", metavar="LOOP", type=FILE)
@click.option(
    "--candidates",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    required=True,
    help="The folder in which the agent has a folder for each candidate.",
)
@click.option("--repeats", default=4, show_default=True, type=click.IntRange(1), help="Runs of each task.")
@click.option("--seconds", default=600.0, show_default=True, help="How long a run of all tasks may take.")
@click.option("--max-mb", default=256, show_default=True, type=click.IntRange(1), help="The largest candidate.")
@click.option("--network", is_flag=True, help="Let candidates use the network, such as to ask a model.")
@click.option(
    "--check-user", metavar="NAME", help="Refuse to start if this user could reach the tasks, the grader or LOOP."
)
def serve(
    path: Path,
    *,
    candidates: Path,
    repeats: int,
    seconds: float,
    max_mb: int,
    network: bool,
    check_user: str | None,
) -> None:
    r"""Serve the tools `propose`, `status` and `why` of LOOP to an agent: MCP on standard input and output.

    The agent's host starts it, as another user: then the agent sees open tasks, their scores and words, and no more.

    \b
    Example:
      sudo -u referee ladderboard loop serve loop.db --candidates /srv/candidates --check-user agent
    """
    from ladderboard.core.errors import ParameterError
    from ladderboard.integrations.mcp_loop import make_loop_server
    from ladderboard.loop.referee import AgentLoop
    from ladderboard.scoring.sandbox import SandboxLimits

    with open_loop(path) as (judge, secrets):
        if check_user is not None:
            refuse_reach(check_user, secrets)
        inside = next((one for one in secrets if one.resolve().is_relative_to(candidates.resolve())), None)
        if inside is not None:
            raise ParameterError(f"{inside} is in {candidates}, which the agent can read; move one of them")
        limits = SandboxLimits(seconds=seconds, has_network=network)
        make_loop_server(AgentLoop(judge, candidates.resolve(), repeats, limits, max_mb)).run("stdio")
