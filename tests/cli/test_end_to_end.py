"""A whole competition as people run it: every step is a command in a process of its own, over real sockets."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

COMMAND = str(Path(sys.executable).with_name("ladderboard"))
PASSWORD = "correct horse battery"
ROWS = 600
LABELS = np.random.default_rng(3).integers(0, 2, ROWS)


@dataclass
class Person:
    """Somebody with a home of their own, in which the commands keep their token."""

    home: Path
    more: dict[str, str] = field(default_factory=dict)

    def runs(self, *arguments: object, given: str = "", expected: int = 0) -> str:
        """What a command prints, on stdout where it succeeds and on stderr where it fails as expected."""
        done = subprocess.run(
            [COMMAND, *map(str, arguments)],
            input=given,
            capture_output=True,
            text=True,
            cwd=self.home,
            env={**os.environ, "XDG_CONFIG_HOME": str(self.home / "config"), "PYTHONWARNINGS": "error", **self.more},
            timeout=600,
            check=False,
        )
        assert done.returncode == expected, (arguments, done.returncode, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done.stdout if expected == 0 else done.stderr

    def reads(self, *arguments: object) -> Any:
        return json.loads(self.runs(*arguments, "--json"))


@contextmanager
def serving(folder: Path, home: Path) -> Iterator[str]:
    """`ladderboard serve` on a free port; gives its address."""
    log = home / "serve.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [COMMAND, "serve", str(folder), "--port", "0"], cwd=home, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        while process.poll() is None:
            found = re.search(r"(http://127\.0\.0\.1:\d+)/competitions/pets", log.read_text())
            if found:
                yield found[1]
                break
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(120)
    assert process.returncode == 0, log.read_text()
    assert "Traceback" not in log.read_text()


def write_solution(path: Path) -> None:
    usage = ["Public" if row % 2 else "Private" for row in range(ROWS)]
    rows = "".join(f"{row},{label},{part}\n" for row, (label, part) in enumerate(zip(LABELS, usage, strict=True), 1))
    path.write_text(f"id,label,Usage\n{rows}")


def write_submission(path: Path, share: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = np.where(rng.random(ROWS) < share, LABELS, 1 - LABELS)
    path.write_text("id,label\n" + "".join(f"{row},{cell}\n" for row, cell in enumerate(cells, 1)))


def where_it_is_noon() -> str:
    """A zone in which the quota's day does not end during the test."""
    ahead = 12 - datetime.now(UTC).hour
    return f"Etc/GMT{-ahead:+d}"  # west of Greenwich is positive there


def test_a_whole_competition_from_the_command_line(tmp_path: Path) -> None:
    organiser, ada, bob = (Person(tmp_path / name) for name in ("organiser", "ada", "bob"))
    for person in (organiser, ada, bob):
        person.home.mkdir()

    # The organiser makes a competition, checks it and serves it.
    write_solution(organiser.home / "solution.csv")
    organiser.runs("new", "pets", "--solution", "solution.csv", "--metric", "accuracy")
    rules = organiser.home / "pets" / "competition.toml"
    text = rules.read_text().replace("per_day = 5 ", "per_day = 3 ")
    rules.write_text(text.replace('time_zone = "UTC"', f'time_zone = "{where_it_is_noon()}"'))
    assert "Ready to serve" in organiser.runs("check", "pets")
    with serving(organiser.home / "pets", organiser.home) as url:
        organiser.runs("users", "add", "olga", "--role", "organiser", "--password-stdin", given=f"{PASSWORD}\n")

        # Two people sign up; one makes a team and the other joins it.
        for name, person in (("ada", ada), ("bob", bob)):
            person.runs("sign-up", url, "--name", name, "--password-stdin", given=f"{PASSWORD}\n")
        ada.runs("team", "create", "Night Shift")
        code = ada.runs("team", "invite").split()[1]
        bob.runs("team", "join", code)

        # A file with problems costs nothing; the same file again costs nothing; the quota holds for both together.
        (ada.home / "bad.csv").write_text("id,label\n1,0\n1,maybe\n")
        for options in (["--dry-run"], []):
            refused = ada.runs("submit", "bad.csv", *options, expected=2)
            assert "line 3: id 1 appears twice (first on line 2)" in refused
            assert "599 ids have no row" in refused
        for seed, (person, share) in enumerate([(ada, 0.6), (bob, 0.85), (ada, 0.55), (bob, 0.9)]):
            write_submission(person.home / f"{seed}.csv", share, seed)
        assert "Attempts left: 2 of 3 today" in ada.runs("submit", "0.csv", "--note", "a start")
        assert "no attempt was used" in ada.runs("submit", "0.csv")
        better = bob.reads("submit", "1.csv")
        assert better["release"]["improved"] is True
        assert "No change" in ada.runs("submit", "2.csv", "--wait")
        assert "all 3 submissions for today are used" in bob.runs("submit", "3.csv", expected=6)

        # The board, the own submissions, the finals.
        assert "Night Shift" in bob.runs("standings")
        (row,) = ada.reads("standings")["items"]
        assert (row["rank"], row["value"], row["attempts"]) == (1, better["release"]["board_value"], 3)
        mine = ada.reads("my-submissions")
        assert [one["file_name"] for one in mine] == ["2.csv", "1.csv", "0.csv"]
        assert "Selected" in ada.runs("select-final", better["id"])

        # The end: closed, finalized, revealed.
        assert "reveal" in ada.runs("standings", "--private", expected=2)
        organiser.runs("freeze", "pets")
        assert "closed" in bob.runs("submit", "3.csv", expected=4)
        organiser.runs("finalize", "pets", "--at-once")
        ada.runs("standings", "--private", expected=2)
        organiser.runs("reveal", "pets", given="y\n")
        private = ada.reads("standings", "--private")
        winner = next(one for one in private["items"] if one["kind"] == "team")
        assert (winner["team"], winner["rank"], winner["submission"]) == ("Night Shift", 1, better["id"])
        cells = np.loadtxt(bob.home / "1.csv", delimiter=",", skiprows=1, usecols=1)
        truth = float(np.mean((cells == LABELS)[0::2]))
        assert abs(winner["value"] - truth) < 1e-9
        said = ada.runs("my-submissions")
        assert "public" in said
        assert "What counted is your best" in said
        assert f"{truth:g}" in ada.runs("standings", "--private")

        # Anybody can check the ledger.
        assert bob.runs("ledger", "verify", f"{url}/competitions/pets")
