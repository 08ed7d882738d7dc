"""`ladderboard lab`: the laboratory's commands."""

from importlib.util import find_spec

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli._shared.signals import clean_up_on_sigterm
from ladderboard.core.errors import LadderboardError

COMMANDS = {
    "attack": ("ladderboard.cli.lab.attack:attack", "Run one attack against one mechanism and chart it."),
    "arena": (
        "ladderboard.cli.lab.arena:arena",
        "Compare every mechanism under every attack and on honest submissions.",
    ),
    "reproduce": ("ladderboard.cli.lab.reproduce:reproduce", "Reproduce the papers' figures and tables."),
}


@click.group(cls=LazyGroup, sections={"Commands": COMMANDS})
def lab() -> None:
    r"""Attack any mechanism, compare all of them, and reproduce the papers' figures.

    \b
    Example:
      ladderboard lab attack --attack hill_climb --mechanism parameter_free_ladder --n 1000 --k 2000
      ladderboard lab arena --quick
    """
    missing = [package for package in ("joblib", "matplotlib", "ruptures", "sklearn") if find_spec(package) is None]
    if missing:
        needed = ", ".join(missing)
        raise LadderboardError(f"the laboratory needs {needed}: pip install '.[lab]' in Ladderboard's checkout")
    clean_up_on_sigterm()
