"""The referee of a loop as tools of the Model Context Protocol: propose, status, why, for agents that improve a system.

The tools ask whatever referee they are given; where its tasks are is decided by whoever makes the server. Reference:
the protocol's specification, modelcontextprotocol.io.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from ladderboard.core.errors import LadderboardError, ParameterError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

INSTRUCTIONS = """\
You improve a program that answers tasks. Open tasks steer: you see them and every score. Guarded tasks, which you
do not see, certify: they say only whether a candidate is proven better than the last certified one. Call `status` with
tasks = true first. Change the program in a folder of its own, propose it, read `why`, and go on from what is kept."""

PROPOSE = """\
Run one candidate: a program in a folder, which the referee runs in a sandbox. It reads tasks as JSON lines (id, input)
on standard input and writes lines such as {"id": "t1", "output": "4"} to standard output, one for each task.

What the answer means:
- decision = kept: higher on the open tasks than what was kept before. Go on from this candidate.
- decision = undecided: less than a standard error behind. Go on from what is kept; more runs could tell.
- decision = discarded: behind. Go on from what is kept.
- certified = true: proven better than the last certified candidate on tasks that steer nothing. Report this one.
- asked = true, certified = false: it is not proven better. That says neither that it is worse nor how close it was, and
  the next question is a little harder. There is no gradient to follow; improve the program on the open tasks.
- asked = false: the lead on the open tasks is below two standard errors, so the guarded tasks were not asked.

A higher open score is partly luck, the more so the more candidates you try: report a gain only where it is certified.
The same files and command again are answered from the record, whatever they are called. Where a candidate fails on the
open tasks you are told how, and nothing is recorded. The first proposal is the reference: the program in use."""

STATUS = """\
Tell where the loop stands: which proposal to go on from, which one is certified with its number, the last proposals,
where candidates must be, and how they are run. With tasks = true also the open tasks as a candidate reads them. Costs
nothing."""

WHY = """\
Tell why a proposal was decided so, and its open tasks with the lowest scores first: their input, their mean score over
runs, and the score that the candidate kept before it had. Read it before you change anything. Of guarded tasks nothing
is told. Costs nothing."""


class LoopReferee(Protocol):
    """What the tools ask."""

    def propose(self, folder: str, command: Sequence[str], name: str) -> dict[str, Any]: ...
    def status(self, *, has_tasks: bool) -> dict[str, Any]: ...
    def explain(self, number: int, most: int) -> dict[str, Any]: ...


def make_loop_server(referee: LoopReferee) -> "MCPServer":
    """Make the server of the three tools."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.types import ToolAnnotations
        from pydantic import Field
    except ModuleNotFoundError:
        words = "the Model Context Protocol needs its library: pip install '.[mcp]' in Ladderboard's checkout"
        raise ParameterError(words) from None

    server = MCPServer("ladderboard-loop", instructions=INSTRUCTIONS, log_level="WARNING")
    asks_only = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    counts = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

    @server.tool(description=PROPOSE, annotations=counts)
    def propose(
        folder: Annotated[str, Field(description="The candidate's folder, under that which `status` names.")],
        command: Annotated[list[str], Field(description='What to run there, as words: ["python3", "agent.py"].')],
        name: Annotated[str, Field(description="What you changed, in a few words; it decides nothing.")] = "",
    ) -> dict[str, Any]:
        with _explain_refusals():
            return referee.propose(folder, command, name)

    @server.tool(description=STATUS, annotations=asks_only)
    def status(
        tasks: Annotated[bool, Field(description="Whether to show the open tasks too.")] = False,
    ) -> dict[str, Any]:
        with _explain_refusals():
            return referee.status(has_tasks=tasks)

    @server.tool(description=WHY, annotations=asks_only)
    def why(
        number: Annotated[int, Field(description="The proposal's number.")],
        most: Annotated[int, Field(description="So many open tasks at most.", ge=0, le=1000)] = 20,
    ) -> dict[str, Any]:
        with _explain_refusals():
            return referee.explain(number, most)

    return server


@contextmanager
def _explain_refusals() -> Iterator[None]:
    """Turn our errors into answers that an agent reads; anything else is a fault, of which it hears nothing."""
    from mcp.server.mcpserver.exceptions import ToolError

    try:
        yield
    except (LadderboardError, OSError) as problem:
        raise ToolError(f"Refused: {problem}.") from None
