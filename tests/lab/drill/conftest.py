"""Server processes for drills that hash passwords quickly and always draw the same; and those that leak on purpose."""

import os
import secrets
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ladderboard_lab.drill import twin_competitions
from tests.hosting.competitions import SECRET

AT_START = '''
"""Runs when a Python process starts: a real argon2 that takes no time, one secret, and the leak that was asked for."""
import os
from pathlib import Path
from types import SimpleNamespace

if os.environ.get("DRILLED_SERVER") and "serve" in Path("/proc/self/cmdline").read_text().split("\\0"):
    import argon2

    usual = argon2.PasswordHasher.__init__
    def quick(self, *given, **more):
        usual(self, time_cost=1, memory_cost=8, parallelism=1)
    argon2.PasswordHasher.__init__ = quick

    from ladderboard.server.competitions import opening

    opening.os = SimpleNamespace(urandom=lambda size: b"7" * size)

    leaks = os.environ.get("LEAKS", "").split()
    if "split" in leaks:
        from ladderboard.core.errors import SubmissionError
        from ladderboard.server.competitions.live_competition import Evaluations

        read = Evaluations.read
        def telling(self, content, name=""):
            try:
                return read(self, content, name)
            except SubmissionError:
                lines = content.decode().splitlines()
                at = next((place for place, line in enumerate(lines) if "nan" in line), 1)
                raise SubmissionError(f"a {self._competition.solution.usage[at - 1]} row is no number", ()) from None
        Evaluations.read = telling
    if "body" in leaks:
        from ladderboard.server.submissions import recording

        usual_answer = recording.build_answer
        def telling(connection, live, *more, **named):
            answer = usual_answer(connection, live, *more, **named)
            solution = live.competition.solution
            answer.content["hint"] = [str(label) for label in solution.labels[solution.rows("Private")]]
            return answer
        recording.build_answer = telling
    if "time" in leaks:
        from ladderboard.server.competitions.live_competition import Evaluations

        evaluate = Evaluations.evaluate
        def slow(self, *given, **more):
            with open(os.environ["TICKS"], "ab") as ticks:
                ticks.write(b"tick" * (2 if self._competition.slug.endswith("-b") else 1))
            return evaluate(self, *given, **more)
        Evaluations.evaluate = slow
'''


@pytest.fixture(autouse=True)
def quick_servers(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path_factory.mktemp("at-start")
    (folder / "sitecustomize.py").write_text(AT_START)
    others = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), *others]))
    monkeypatch.setenv("DRILLED_SERVER", "yes")
    # A board that draws otherwise each time can fail now and then.
    monkeypatch.setattr(
        twin_competitions, "secrets", SimpleNamespace(token_bytes=lambda _: SECRET, token_hex=secrets.token_hex)
    )


@pytest.fixture
def competition(tmp_path: Path) -> Path:
    """A small competition of two classes, half of it public."""
    return write_small(tmp_path / "small")


def write_small(folder: Path, *, metric: str = "error_rate", mechanism: str = "witness_ladder") -> Path:
    folder.mkdir()
    labels = np.random.default_rng(3).integers(0, 2, 240)
    usage = np.where(np.arange(240) % 2, "Public", "Private")
    lines = [f"{row},{label},{part}" for row, (label, part) in enumerate(zip(labels, usage, strict=True), 100)]
    (folder / "solution.csv").write_text("id,label,Usage\n" + "\n".join(lines) + "\n")
    (folder / "description.md").write_text("# Small\n")
    (folder / "competition.toml").write_text(f'title = "Small"\nmetric = "{metric}"\nmechanism = "{mechanism}"\n')
    return folder
