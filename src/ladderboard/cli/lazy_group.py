r"""A group of commands that imports a command only when it is needed, and turns our errors into one sentence.

Docstrings of commands are raw strings: a line of ``\b`` before a block keeps its line breaks, as click has it.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from ladderboard.errors import HoldoutSpentError, LadderboardError


class Refusal(click.ClickException):
    """One of our errors as click shows it: a sentence on stderr and an exit code, never a traceback."""

    exit_code = 2


class SpentRefusal(Refusal):
    """The holdout tells no more numbers."""

    exit_code = 4


class LazyGroup(click.Group):
    """A group made from a table: name → (module:object, one line of help).

    The line of help stands in the table, so that a listing needs no imports.
    """

    def __init__(self, *, commands_by_name: Mapping[str, tuple[str, str]], **settings: Any) -> None:
        super().__init__(**settings)
        self._table = commands_by_name
        _keep_line_breaks(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._table:
            return None
        module, name = self._table[cmd_name][0].split(":")
        command: click.Command = getattr(import_module(module), name)
        _keep_line_breaks(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self._table.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except HoldoutSpentError as problem:
            raise SpentRefusal(str(problem)) from problem
        except LadderboardError as problem:
            raise Refusal(str(problem)) from problem


def _keep_line_breaks(command: click.Command) -> None:
    if command.help is not None:
        command.help = command.help.replace(r"\b", "\b")
