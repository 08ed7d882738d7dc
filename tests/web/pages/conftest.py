"""A site with real data: a competition with teams of rising quality, and one that opens later."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from ladderboard.competition import Competition, Limits
from ladderboard.server.db.database import Database
from ladderboard.server.people.roles import SCOPES_OF, Person
from ladderboard.server.submissions.records import IncomingSubmission
from ladderboard.server.teams.teams import create_team
from tests.hosting.competitions import NOON, a_competition, a_file, predictions
from tests.web.pages.readers import Reader
from tests.web.servers import PASSWORD, Server, a_host, serving

EVIL = '"><img src=x onerror=alert(1)>'
"""As a team's name, a note, a file's name, a search: a tag that would run if any page forgot to escape it."""
EVIL_MARKDOWN = (
    "# About pets\n\n<script>alert(1)</script> [click](javascript:alert(1)) ![spy](https://example.org/spy.png)\n\n"
    "| a | b |\n|---|--:|\n| 1 | 2 |\n"
)
SHARES = {"Foxes": 0.9, "Owls": 0.9, "Bears": 0.8, "Moles": 0.7, EVIL: 0.6}


@pytest.fixture(scope="session")
def site(prepared_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that tests only read from."""
    yield from _site(prepared_sqlite, tmp_path_factory.mktemp("site"))


@pytest.fixture
def own_site(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    """A server of one test, which may change it."""
    yield from _site(prepared_sqlite, tmp_path, with_teams=False)


def _site(prepared: Path, folder: Path, *, with_teams: bool = True) -> Iterator[Server]:
    shutil.copy(prepared, folder / "site.db")
    # The clock stands still, so that no test runs over midnight and its quota.
    database = Database(f"sqlite:///{folder / 'site.db'}", clock=lambda: NOON)
    with serving(a_host(database, folder, _pets(folder), _later())) as server:
        if with_teams:
            _fill(server)
        yield server
    database.close()


def _pets(folder: Path) -> Competition:
    made = a_competition(
        limits=Limits(per_day=3, total=20),
        deadline=NOON + timedelta(days=9, hours=5),
        time_zone="Europe/Berlin",
        summary="Cats or dogs?",
    )
    data = folder / "pets" / "data"
    data.mkdir(parents=True)
    (data / "train.csv").write_text("row,weight\n1,4.5\n")
    (data / "naïve <b>.txt").write_text("a name that needs care")
    (folder / "pets" / "solution.csv").write_text("the labels\n")
    (data / "link.csv").symlink_to(folder / "pets" / "solution.csv")
    (data / ".hidden").write_text("not offered")
    return replace(made, description=EVIL_MARKDOWN, folder=folder / "pets")


def _later() -> Competition:
    made = a_competition(metric="auc", opens=NOON + timedelta(days=3))
    return replace(made, rules=replace(made.rules, slug="later", title="Later"))


def _fill(server: Server) -> None:
    """Accounts a0, a1, … with teams that have submitted twice."""
    services = server.services
    live = services.competition("pets")
    for i, (name, share) in enumerate(SHARES.items()):
        account = server.app.state.accounts.sign_up(f"a{i}", PASSWORD)
        person = Person(account.id, account.name, "participant", SCOPES_OF["participant"])
        team = create_team(services.database, live, person, name)
        for seed, quality in enumerate((share - 0.05, share)):
            values = predictions(live.competition, quality, seed=seed + (0 if share == 0.9 else i))
            attempt = IncomingSubmission(
                team.id,
                a_file(live.competition, values),
                services.database.now(),
                account_id=account.id,
                file_name=f"{EVIL}.csv",
                note=EVIL,
            )
            services.referee.submit(live, attempt)


@pytest.fixture
def passer_by(site: Server) -> Reader:
    """Somebody who is not signed in."""
    return Reader(site)


@pytest.fixture
def fox(site: Server) -> Reader:
    """A member of the Foxes."""
    return Reader(site).sign_in("a0")
