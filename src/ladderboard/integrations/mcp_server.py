"""A holdout as tools of the Model Context Protocol: score, status, plan, for agents that search for models.

The tools ask whatever holdout they are given; where its labels are is decided by whoever makes the server. Reference:
the protocol's specification, modelcontextprotocol.io.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from ladderboard.core.errors import ClientError, LadderboardError, ParameterError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

INSTRUCTIONS = """\
A holdout set that you cannot see, guarded so that it cannot be climbed by luck. Develop and choose models on your own
training and validation data. Ask here once for each finished candidate, to learn whether it is truly better."""

SCORE = """\
Score one candidate's predictions on the hidden holdout. Call `status` first: it says how many predictions are expected,
of what kind, and which direction of the metric is better.

What the answer means (`outcome` says it in words):
- improved = true: proven better than the last proven candidate. Keep it; this is what to publish.
- accepted = true, improved = false: it replaces the last accepted candidate on the board. Keep it and go on from it,
  but do not publish it: it is not proven better.
- accepted = false: `value` is null or repeats a score shown before. It is not this candidate's score and does not say
  how close it was, so there is no gradient to follow. Go on from the last accepted candidate.

Every new set of predictions is an attempt, recorded for ever. The same predictions again cost nothing and tell nothing
new. Guessing repeatedly, flipping single predictions, or blending candidates by their answers is pointless: luck is not
recognised. Choose by cross-validation on your own data; ask here once for each real candidate.

Give `path`, a file on this machine (CSV, TSV or Parquet with an id and a prediction column, or .npy in order), or
`predictions` inline: a list in the order of the holdout's items, a list beside `ids`, or an object from ids to values.
A refusal costs no attempt; mend the input and ask again."""

STATUS = """\
Tell what the holdout expects and where it stands: metric and direction, number and kind of predictions, the score on
the board, attempts made by you and by all clients together, information released. Costs nothing."""

PLAN = """\
Tell how large a true gain over the score shown must be, with 80 % power, to be shown (`shown_gain`: accepted = true)
and to be proven (`proven_gain`: improved = true) at the next attempt, and after 10, 100 and 1,000 more attempts that
fail. If your candidate's gain on validation data is clearly smaller than the one you need, improve it before you ask.
Costs nothing."""

FilePredictions = tuple[Any, Collection[Any] | None]
"""The values in a file, and their ids."""
ReadFile = Callable[[Path, Sequence[str], Sequence[Any]], FilePredictions]
"""Of a path, the names of columns (none: the only one) and the classes that columns of probabilities may be called."""


class ExplainingHoldout(Protocol):
    """The part of a holdout that the tools ask; a `RemoteHoldout` has it."""

    def ask_score(
        self, predictions: Any, *, ids: Collection[Any] | None = None, training_score: float | None = None
    ) -> dict[str, Any]: ...
    def status(self) -> dict[str, Any]: ...
    def plan(self) -> dict[str, Any]: ...


def make_mcp_server(holdout: ExplainingHoldout, read_file: ReadFile) -> "MCPServer":
    """Make the server of the three tools; ``read_file`` reads the values in a file of predictions."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.types import ToolAnnotations
        from pydantic import Field
    except ModuleNotFoundError:
        words = "the Model Context Protocol needs its library: pip install '.[mcp]' in Ladderboard's checkout"
        raise ParameterError(words) from None

    server = MCPServer("ladderboard-holdout", instructions=INSTRUCTIONS, log_level="WARNING")
    asks_only = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    counts = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

    @server.tool(description=SCORE, annotations=counts)
    def score(
        path: Annotated[str | None, Field(description="A file with the predictions.")] = None,
        columns: Annotated[list[str] | None, Field(description="Its prediction columns, if there are several.")] = None,
        predictions: Annotated[
            list[Any] | dict[str, Any] | None, Field(description="Instead of a file: the values themselves.")
        ] = None,
        ids: Annotated[list[str | int] | None, Field(description="The item of each inline value.")] = None,
        training_score: Annotated[float | None, Field(description="Only for mechanisms that compare it.")] = None,
    ) -> dict[str, Any]:
        with _explain_refusals():
            _check_choice(path, predictions, ids)
            given: Any = (predictions, ids)
            if path is not None:
                given = read_file(Path(path), columns or (), holdout.status()["class_columns"])
            return holdout.ask_score(given[0], ids=given[1], training_score=training_score)

    @server.tool(description=STATUS, annotations=asks_only)
    def status() -> dict[str, Any]:
        with _explain_refusals():
            return holdout.status()

    @server.tool(description=PLAN, annotations=asks_only)
    def plan() -> dict[str, Any]:
        with _explain_refusals():
            return holdout.plan()

    return server


def _check_choice(path: str | None, predictions: Any, ids: Collection[Any] | None) -> None:
    if (path is None) == (predictions is None):
        raise ParameterError("give either path or predictions")
    if path is not None and ids is not None:
        raise ParameterError("a file brings its own ids; leave ids out")


@contextmanager
def _explain_refusals() -> Iterator[None]:
    """Turn our errors into answers that an agent reads; anything else is a fault, of which it hears nothing."""
    from mcp.server.mcpserver.exceptions import ToolError

    try:
        yield
    except ClientError as problem:
        raise ToolError(f"No answer: {problem}. Ask again with the same predictions: they count once.") from None
    except (LadderboardError, OSError) as problem:
        raise ToolError(f"Refused: {problem}. No attempt was used.") from None
