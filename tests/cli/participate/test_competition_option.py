"""One option names the competition in every command of a participant."""

import pytest
from click.testing import CliRunner

from ladderboard.cli.main import cli

COMMANDS = {
    ("submit",): "--to",
    ("my-submissions",): "--in",
    ("select-final",): "--in",
    ("standings",): "--of",
    ("team", "create"): "--in",
    ("team", "show"): "--in",
}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_help_shows_one_spelling_and_the_old_one_still_works(command: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(cli, [*command, "--help"]).output
    assert "--competition SLUG" in shown
    assert f" {COMMANDS[command]}" not in shown
    told = CliRunner().invoke(cli, [*command, COMMANDS[command]])
    assert f"Option '{COMMANDS[command]}' requires an argument" in told.output
