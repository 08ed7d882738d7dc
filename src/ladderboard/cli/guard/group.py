"""`ladderboard holdout`: the commands of the personal holdout guard."""

import click

from ladderboard.cli._shared.lazy_group import LazyGroup

COMMANDS = {
    "init": ("ladderboard.cli.guard.holdout:init", "Create a guard for a holdout set."),
    "score": ("ladderboard.cli.guard.holdout:score", "Score predictions; every new file is an attempt."),
    "status": (
        "ladderboard.cli.guard.holdout:status",
        "Show attempts, the board and the information released; needs no labels.",
    ),
    "serve": ("ladderboard.cli.guard.serve:serve", "Serve the holdout to other processes, users and agents."),
    "ask": ("ladderboard.cli.guard.ask:ask", "Ask a holdout service to score predictions, or where it stands."),
    "clients": ("ladderboard.cli.guard.clients:clients", "Manage who may ask a holdout service: add, revoke, list."),
    "pin": ("ladderboard.cli.guard.pin:pin", "Pin the model in use as the reference of `score --not-worse`."),
    "rehearse": ("ladderboard.cli.guard.rehearse:rehearse", "Try the guard on copies of one model; spends nothing."),
}
"""Name → (module:object, one-line help)."""


@click.group(cls=LazyGroup, sections={"Commands": COMMANDS})
def holdout() -> None:
    r"""Guard a holdout set so that you can use it again and again.

    The guard's file records every attempt and never holds the labels: `score` reads them each time.

    \b
    Example:
      ladderboard holdout init labels.csv --metric error_rate --to holdout.db
      ladderboard holdout score holdout.db --labels labels.csv predictions.csv
      ladderboard holdout status holdout.db
    """
