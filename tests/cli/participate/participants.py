"""Commands as a participant gives them, and files to send."""

from click.testing import CliRunner, Result

from ladderboard.cli.main import cli
from tests.hosting.competitions import a_file, predictions
from tests.web.servers import Server

PASSWORD = "correct horse"


def run(*arguments: object, given: str | None = None, expected: int = 0) -> Result:
    """Run a command; its exit code must be the expected one."""
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments], input=given)
    assert result.exit_code == expected, (result.exit_code, result.output, result.exception)
    return result


def told(*arguments: object, given: str | None = None) -> str:
    """What a command prints that must succeed."""
    return run(*arguments, given=given).stdout


def refusal(*arguments: object, given: str | None = None, expected: int = 2) -> str:
    """What a command says on stderr that must fail with this exit code."""
    return run(*arguments, given=given, expected=expected).stderr.strip().removeprefix("Error: ")


def sign_up(server: Server, name: str = "ada") -> None:
    told("sign-up", server.url, "--name", name, "--password-stdin", given=f"{PASSWORD}\n")


def a_submission(server: Server, share: float = 0.8, seed: int = 0) -> bytes:
    competition = server.services.competition("pets").competition
    return a_file(competition, predictions(competition, share, seed=seed))
