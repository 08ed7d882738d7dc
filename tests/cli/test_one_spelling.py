"""A competition played to its end: no page, command or sentence spells a released number in another way."""

import json
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ladderboard.competition.checks.summary import summarise
from ladderboard.server.db.database import Database
from ladderboard.server.people.accounts import Registry
from tests.cli.participate.participants import PASSWORD as OWN
from tests.cli.participate.participants import a_submission, sign_up, told
from tests.hosting.competitions import a_competition
from tests.web.pages.readers import Page, Reader
from tests.web.servers import PASSWORD, Server, a_host, serving

NUMBER = re.compile(r"(?<![\d.])\d+\.\d+(?!\.?\d)")
HOME = "/competitions/pets"
ROWS = 400
SHARES = {"ada": (0.5, 0.62, 0.8, 0.6), "bob": (0.75, 0.9), "cleo": (0.5,)}


@pytest.fixture(params=["witness_ladder", "full_disclosure", "ladder", "parameter_free_ladder"])
def server(request: pytest.FixtureRequest, prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    """As many cats as dogs among the public rows: the baseline's score is one half, which is "0.5" or "0.500"."""
    shutil.copy(prepared_sqlite, tmp_path / "server.db")
    database = Database(f"sqlite:///{tmp_path / 'server.db'}")
    competition = a_competition(mechanism=request.param, labels=np.arange(ROWS) // 2 % 2)
    with serving(a_host(database, tmp_path, competition)) as running:
        yield running
    database.close()


def test_a_released_number_has_one_spelling(server: Server, home: Path) -> None:
    seen = play(server, home)
    known = list_released(server)
    spellings: dict[float, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for where, text in seen.items():
        for number in NUMBER.findall(text):
            if float(number) in known:
                spellings[float(number)][number].append(where)
    twice = {value: dict(found) for value, found in spellings.items() if len(found) > 1}
    assert not twice
    read = {value: places for value, found in spellings.items() for places in found.values()}
    assert max(map(len, read.values())) >= 8, "the same number is read in many places"
    assert any(text.endswith("0") for found in spellings.values() for text in found), "a last zero shows the decimals"


def play(server: Server, home: Path) -> dict[str, str]:
    """What everybody reads, by where they read it."""
    Registry(server.app.state.accounts).add("olga", PASSWORD, role="organiser")
    olga = Reader(server).sign_in("olga")
    competition = server.services.competition("pets").competition
    seen = {"check": "\n".join(text for _, text in summarise(competition).lines())}
    for name, shares in SHARES.items():
        sign_up(server, name)
        told("team", "create", f"Team {name}")
        for attempt, share in enumerate(shares):
            (home / "mine.csv").write_bytes(a_submission(server, share, seed=attempt))
            seen[f"submit {name} {attempt}"] = told("submit", "mine.csv")
        seen[f"again {name}"] = told("submit", "mine.csv")
        seen[f"mine {name}"] = told("my-submissions")
        seen[f"team {name}"] = told("team", "show")
        seen[f"finals {name}"] = told("select-final")
        seen |= read_as(server, name)
    seen["standings"] = told("standings")
    for path in ("", "/teams", "/flags", "/ledger", "/freeze"):
        seen[f"organise{path}"] = read(olga.open(f"{HOME}/organise{path}"))
    olga.send(f"{HOME}/organise/freeze")
    seen["finalize"] = read(olga.open(f"{HOME}/organise/finalize"))
    olga.send(f"{HOME}/organise/finalize", {"at_once": "yes"})
    seen["reveal"] = read(olga.open(f"{HOME}/organise/reveal"))
    olga.send(f"{HOME}/organise/reveal")
    seen["results"] = read(olga.open(f"{HOME}/results"))
    seen["private"] = told("standings", "--private")
    seen["mine at the end"] = told("my-submissions")
    return seen | {f"{where} at the end": text for where, text in read_as(server, "cleo").items()}


def read_as(server: Server, name: str) -> dict[str, str]:
    reader = Reader(server)
    reader.open("/sign-in")
    reader.send("/sign-in", {"name": name, "password": OWN, "next": "/account"})
    seen = {
        f"{name} {path}": read(reader.open(f"{HOME}{path}"))
        for path in ("", "/rules", "/leaderboard", "/submit", "/submissions", "/team")
    }
    links = re.findall(rf'href="({HOME}/submissions/[0-9a-f]+)"', reader.open(f"{HOME}/submissions").html)
    assert links
    return seen | {f"{name} {link}": read(reader.open(link)) for link in dict.fromkeys(links)}


def read(page: Page) -> str:
    """The words of a page and of its drawings, without the ticks on their axes."""
    main = page.tree.one("main")
    words = [text for node in [main, *main.walk()] if not node.has(class_="ch-tick") for text in node.children]
    labels = [node.attributes["aria-label"] for node in main.walk() if "aria-label" in node.attributes]
    return " ".join([*(word for word in words if isinstance(word, str)), *labels])


def list_released(server: Server) -> set[float]:
    """Every number that JSON shows: scores, the ends of their intervals, the baseline, the private board."""
    found: set[float] = set()

    def collect(content: Any) -> None:
        if isinstance(content, float):
            found.add(content)
        for part in content.values() if isinstance(content, dict) else content if isinstance(content, list) else ():
            collect(part)

    for path in ("", "/leaderboard", "/private-leaderboard"):
        collect(server.client().get(f"/api/v1{HOME}{path}").json())
    with server.services.database.reading() as connection:
        for (release,) in connection.exec_driver_sql("select release from submissions"):
            collect(json.loads(release))
    return found
