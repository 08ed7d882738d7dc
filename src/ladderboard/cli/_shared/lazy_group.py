r"""A click group that imports commands on demand and prints our errors as one sentence.

Docstrings of commands are raw strings: a line of ``\b`` before a block keeps its line breaks, as in click.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from ladderboard.cli._shared.system_errors import explain_system_error
from ladderboard.core.errors import (
    ClientError,
    CompetitionSpentError,
    DeadlinePassedError,
    ForbiddenError,
    HoldoutSpentError,
    LadderboardError,
    NotOpenError,
    NotScoredError,
    SignInRequiredError,
    UnavailableError,
    WaitError,
)

EXIT_CODES: tuple[tuple[type[LadderboardError], int], ...] = (
    (HoldoutSpentError, 4),
    (CompetitionSpentError, 4),
    (NotOpenError, 4),
    (DeadlinePassedError, 4),
    (SignInRequiredError, 5),
    (ForbiddenError, 5),
    (WaitError, 6),
    (UnavailableError, 7),
    (ClientError, 7),
    (NotScoredError, 8),
    (LadderboardError, 2),
)
"""Exit codes for scripts: 2 bad input, nothing charged; 4 closed or spent; 5 not signed in or not allowed; 6 quota or
rate limit, try later; 7 no answer, or a server error; 8 queued and not scored. 3 belongs to single commands (not
improved)."""


class CommandError(click.ClickException):
    """A Ladderboard error in the form click prints: one sentence on stderr and an exit code, never a traceback."""

    def __init__(self, problem: LadderboardError) -> None:
        super().__init__("\n".join([str(problem), *getattr(problem, "__notes__", ())]))
        # click types exit_code as a class attribute but reads it from the instance.
        self.exit_code = next(code for kind, code in EXIT_CODES if isinstance(problem, kind))  # type: ignore[misc]


class LazyGroup(click.Group):
    """A group made from tables, a section of the help each: name → (module:object, one-line help).

    The help line is in the table so that listing commands imports nothing. Commands that stand beside the group follow.
    """

    def __init__(self, *, sections: Mapping[str, Mapping[str, tuple[str, str]]] | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        self._sections = sections or {}
        self._table = {name: entry for section in self._sections.values() for name, entry in section.items()}
        _keep_line_breaks(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self._table, *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name)
        if cmd_name in self._table:
            module, name = self._table[cmd_name][0].split(":")
            command = getattr(import_module(module), name)
        if command is not None:
            _keep_line_breaks(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, self.list_commands(ctx)))
        sections = {title: {name: line for name, (_, line) in table.items()} for title, table in self._sections.items()}
        if self.commands:
            beside = {name: command.short_help or "" for name, command in self.commands.items()}
            sections["Commands"] = sections.get("Commands", {}) | beside
        for title, lines in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), line) for name, line in lines.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except LadderboardError as problem:
            raise CommandError(explain_system_error(problem) or problem) from problem
        except Exception as error:
            explained = explain_system_error(error)
            if explained is None:
                raise
            raise CommandError(explained) from error


def _keep_line_breaks(command: click.Command) -> None:
    if command.help is not None:
        command.help = command.help.replace(r"\b", "\b")
