"""A pytest plugin: the fixture `ladderboard_holdout` asks a guarded holdout and fails the test unless it agrees.

pytest loads this file by its entry point in every project where Ladderboard is installed, so it imports nothing of
Ladderboard until a test asks for the fixture.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ladderboard.core.records import Release
    from ladderboard.guard.holdout import Holdout
    from ladderboard.guard.reference import ReferenceAnswer

SETTINGS = {
    "guard": "the guard's file, made with `ladderboard holdout init --gate`",
    "labels": "the file of its labels, as given to `init`; graded items have none",
}
"""Each is an ini option ladderboard_NAME and a command line option --ladderboard-NAME, which wins."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that name the guard."""
    group = parser.getgroup("ladderboard", "a guarded holdout")
    for name, meaning in SETTINGS.items():
        group.addoption(f"--ladderboard-{name}", metavar="FILE", help=meaning)
        parser.addini(f"ladderboard_{name}", meaning)


@dataclass(frozen=True)
class HoldoutGate:
    """A guarded holdout in a test: what it is asked, and the failure if it does not agree."""

    holdout: "Holdout"

    def assert_improved(self, predictions: Any, **options: Any) -> "Release":
        """Score predictions, which is an attempt, and fail unless they are proven better than the last proven entry."""
        __tracebackhide__ = True
        with _in_one_sentence():
            release = self.holdout.score(predictions, **options)
        if not release.improved:
            pytest.fail(f"not improved: {self.describe(release)}", pytrace=False)
        return release

    def assert_not_worse(self, predictions: Any, **options: Any) -> "ReferenceAnswer":
        """Ask about predictions, which tells one bit, and fail unless they are not worse than the pinned reference."""
        __tracebackhide__ = True
        with _in_one_sentence():
            answer = self.holdout.check_not_worse(predictions, **options)
        if not answer.not_worse:
            pytest.fail(
                f"not shown to be within {answer.margin:g} {self.holdout.metric.name} of the pinned reference "
                f"(question {answer.question})",
                pytrace=False,
            )
        return answer

    def describe(self, release: "Release") -> str:
        """Describe an attempt in one line, from what was released."""
        if release.board_value is None:
            return f"attempt {release.attempt}; nothing is certified yet"
        return f"attempt {release.attempt}, on the board: {self.holdout.metric.name} {release.board_value}"


@pytest.fixture(scope="session")
def ladderboard_holdout(pytestconfig: pytest.Config) -> Iterator[HoldoutGate]:
    """The holdout of the guard that the options `ladderboard_guard` and `ladderboard_labels` name."""
    guard, labels = (_read_option(pytestconfig, name) for name in SETTINGS)
    if guard is None:
        pytest.fail(
            "which guard? Set ladderboard_guard in the ini file or give --ladderboard-guard FILE", pytrace=False
        )
    with _open(guard, labels) as holdout:
        yield HoldoutGate(holdout)


def _read_option(config: pytest.Config, name: str) -> Path | None:
    """Read an option; a path in the ini file is relative to it, one on the command line to where pytest started."""
    given: str | None = config.getoption(f"--ladderboard-{name}")
    if given:
        return config.invocation_params.dir / given
    written: str = config.getini(f"ladderboard_{name}")
    base = config.inipath.parent if config.inipath else config.rootpath
    return base / written if written else None


def _open(guard: Path, labels: Path | None) -> "Holdout":
    """Open the guard as the command line does."""
    from ladderboard.cli.guard.opening import open_guard

    with _in_one_sentence():
        return open_guard(guard, labels, None, None)


@contextmanager
def _in_one_sentence() -> Iterator[None]:
    """Fail the test in one sentence, without a traceback, where something is refused."""
    __tracebackhide__ = True
    import click

    from ladderboard.core.errors import LadderboardError

    try:
        yield
    except (LadderboardError, click.UsageError) as refusal:
        text = refusal.message if isinstance(refusal, click.UsageError) else str(refusal)
        raise pytest.fail.Exception(text, pytrace=False) from None  # pytest prints a refusal that stands behind it, too
