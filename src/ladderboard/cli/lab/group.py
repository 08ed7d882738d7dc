"""`ladderboard lab`: the laboratory's table of commands."""

from importlib.util import find_spec

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.core.errors import LadderboardError

COMMANDS = {
    "attack": ("ladderboard.cli.lab.attack:attack", "One attack against one mechanism, with its course as a chart."),
    "arena": ("ladderboard.cli.lab.arena:arena", "Every mechanism against every attack and on honest streams."),
    "reproduce": ("ladderboard.cli.lab.reproduce:reproduce", "The figures and tables of the papers, made again."),
}


@click.group(cls=LazyGroup, commands_by_name=COMMANDS)
def lab() -> None:
    r"""Attack any mechanism, compare all of them, make the papers' figures again.

    \b
    Example:
      ladderboard lab attack --attack hill_climb --mechanism parameter_free_ladder --n 1000 --k 2000
      ladderboard lab arena --quick
    """
    missing = [package for package in ("joblib", "matplotlib", "ruptures", "sklearn") if find_spec(package) is None]
    if missing:
        raise LadderboardError(f"the laboratory needs {', '.join(missing)}: pip install 'ladderboard[lab]'")
