"""Which extra of the package a command lacks, from the import that failed."""

import traceback

OURS = ("ladderboard", "ladderboard_lab")
EXTRAS = (
    ("ladderboard.cli.host.demo", "demo"),
    ("ladderboard.cli.lab", "lab"),
    ("ladderboard_lab", "lab"),
    ("ladderboard.server.jobs.cluster", "cluster"),
    ("ladderboard.server", "server"),
    ("ladderboard.client", "client"),
    ("ladderboard.cli.participate", "client"),
    ("ladderboard.cli.host.ledger_sources", "client"),
    ("ladderboard.cli.host", "server"),
)
"""The extra that the packages below a name need; the first that has a part in a failed import counts."""


def explain_missing(error: ModuleNotFoundError) -> str | None:
    """What to install, in a sentence; None where the missing module belongs to no extra."""
    if error.name is None or error.name.partition(".")[0] in OURS:
        return None
    importing = [str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_tb(error.__traceback__)]
    for package, extra in EXTRAS:
        if any(f"{name}.".startswith(f"{package}.") for name in importing):
            return f"this needs {error.name}: pip install '.[{extra}]' in Ladderboard's checkout"
    return None
