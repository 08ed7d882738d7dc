"""Folders that are edited while their competitions run: taken over whole, refused whole, and never harmful."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from ladderboard.core.errors import ConflictError, DeadlinePassedError, QuotaExceededError
from ladderboard.server.audit.audit import audit
from ladderboard.server.audit.ledger_view import whole_view
from ladderboard.server.audit.replaying import LedgerReplay
from ladderboard.server.competitions.folder_changes import FolderWatch
from ladderboard.server.db.schema import ledger
from ladderboard.server.lifecycle import status
from ladderboard.server.results.finalizing import finalize
from ladderboard.server.services import Services, open_services
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.records import IncomingSubmission
from ladderboard.server.teams.teams import create_team
from tests.competition.folders import TOML, write_folder
from tests.hosting.competitions import NOON, a_file, predictions
from tests.hosting.hosts import on_sqlite
from tests.hosting.people_fixtures import a_person

DEADLINE = 'deadline = 2026-03-14T13:00:00Z\nreveal = "by hand"\n'
RULES = TOML + DEADLINE + "\n[limits]\nper_day = 2\n"


class Process:
    """One server process: its services and its watch. All processes of a test have one clock."""

    def __init__(self, services: Services) -> None:
        self.services, self.watch = services, FolderWatch(services)

    def look(self, times: int = 2) -> None:
        for _ in range(times):
            self.watch.look()


class Site:
    """A folder, its database, and server processes for both."""

    def __init__(self, database_url: str, folder: Path) -> None:
        self.folder, self.moment, self._url = write_folder(folder / "whales", RULES), NOON, database_url
        self._opened: list[Services] = []
        self.process = self.start()
        self.look = self.process.look

    def start(self, folder: Path | None = None) -> Process:
        settings = Settings(data=self.folder.parent, database=self._url)
        services = open_services(settings, [folder or self.folder], clock=lambda: self.moment)
        self._opened.append(services)
        return Process(services)

    def edit(self, old: str, new: str) -> None:
        path = self.folder / "competition.toml"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    def entries(self) -> list[tuple[str, dict[str, object]]]:
        with self.process.services.database.reading() as connection:
            rows = connection.execute(select(ledger.c.kind, ledger.c.body).order_by(ledger.c.seq))
            return [(row.kind, row.body) for row in rows]

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.entries()][1:]

    def send(self, team: str, share: float, *, process: Process | None = None, seed: int = 0) -> int:
        services = (process or self.process).services
        live = services.competition("whales")
        content = a_file(live.competition, predictions(live.competition, share, seed=seed))
        return services.referee.submit(live, IncomingSubmission(team, content, self.moment)).status

    def close(self) -> None:
        for services in self._opened:
            services.close()


@pytest.fixture
def site(database_url: str, tmp_path: Path) -> Iterator[Site]:
    made = Site(database_url, tmp_path)
    yield made
    made.close()


def test_allowed_changes_are_taken_over_with_their_entries(site: Site) -> None:
    site.look()
    assert site.kinds() == []
    site.edit('title = "Whales"', 'title = "Whales!"\nsummary = "By their song"')
    site.edit("per_day = 2", "per_day = 3\nmax_file_mb = 1")
    site.edit("13:00:00Z", "14:00:00Z")
    (site.folder / "description.md").write_text("# Whales\n\nListen.\n")
    site.look()
    live = site.process.services.competition("whales")
    assert (live.rules.title, live.rules.summary, live.rules.limits.per_day) == ("Whales!", "By their song", 3)
    assert live.rules.deadline == NOON + timedelta(hours=2)
    assert live.competition.format.max_bytes == 1 << 20
    assert live.competition.description.endswith("Listen.\n")
    assert site.kinds() == ["rules_changed", "description_changed"]
    changes = site.entries()[1][1]["changes"]
    assert isinstance(changes, list)
    assert [one.split()[0] for one in changes] == [
        "title", "deadline", "summary", "limits.per_day", "limits.max_file_mb"
    ]  # fmt: skip
    site.look()
    site.start()
    assert site.kinds() == ["rules_changed", "description_changed"]


@on_sqlite
@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (('metric = "accuracy"', 'metric = "error_rate"'), "scores before and after could not be compared"),
        (("13:00:00Z", "12:30:00Z"), "may be extended but not brought forward"),
        (('slug = "whales"', 'slug = "dolphins"'), "the competition's address"),
        (("[limits]", '[solution]\npublic_share = 0.5\n[limits]'), "[solution] changed"),
        (('title = "Whales"', 'title = "Whales'), "this is not TOML"),
        (('title = "Whales"', 'title = "Whales"\nmertic = "auc"'), "mertic"),
        (("per_day = 2", 'per_day = "many"'), "per_day"),
        (("per_day = 2", "per_day = 2\nx = " + "[" * 5000), "this is not TOML"),
    ],
)  # fmt: skip
def test_what_may_not_change_is_refused_whole_with_its_reason(
    site: Site, edit: tuple[str, str], reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    before, original = site.process.services.competition("whales"), (site.folder / "competition.toml").read_text()
    site.edit(*edit)
    (site.folder / "description.md").write_text("# Other\n")
    site.look(3)
    services = site.process.services
    assert services.competition("whales") is before
    assert site.kinds() == []
    assert reason in services.refused_changes["whales"]
    assert [record.levelno for record in caplog.records] == [logging.WARNING], "said once, however often it is seen"
    (site.folder / "competition.toml").write_text(original)
    site.look()
    assert services.refused_changes == {}
    assert site.kinds() == ["description_changed"]


@on_sqlite
def test_a_file_that_is_put_back_as_it_was_is_refused_no_longer(site: Site) -> None:
    site.look()
    site.edit('metric = "accuracy"', 'metric = "error_rate"')
    site.look()
    assert "whales" in site.process.services.refused_changes
    site.edit('metric = "error_rate"', 'metric = "accuracy"')
    site.look()
    assert site.process.services.refused_changes == {}


@on_sqlite
def test_a_file_that_is_being_written_is_left_alone(site: Site) -> None:
    path = site.folder / "competition.toml"
    whole = path.read_text() + "total = 40\n"
    for end in range(0, len(whole), 7):  # every second state is valid TOML: without a deadline, without limits
        path.write_text(whole[:end])
        site.look(1)
    path.write_text(whole)
    site.look()
    assert site.process.services.competition("whales").rules.limits.total == 40
    assert site.kinds() == ["rules_changed"]
    path.unlink()
    (site.folder / "solution.csv").rename(site.folder / "gone.csv")
    site.look()
    assert "missing" in site.process.services.refused_changes["whales"]
    assert site.process.services.competition("whales").rules.limits.total == 40


def test_every_process_follows_and_only_one_writes(site: Site, tmp_path: Path) -> None:
    same = site.start()
    elsewhere = site.start(write_folder(tmp_path / "copy" / "whales", RULES))  # another machine, not yet updated
    others = [same, elsewhere]
    for process in (site.process, *others):
        process.look()
    site.edit("13:00:00Z", "15:00:00Z")
    site.edit("per_day = 2", "per_day = 1")
    for _ in range(3):
        for process in (*others, site.process):
            process.look(1)
    assert site.kinds() == ["rules_changed"]
    for process in others:
        rules = process.services.competition("whales").rules
        assert (rules.deadline, rules.limits.per_day) == (NOON + timedelta(hours=3), 1)
    team = create_team(
        site.process.services.database,
        same.services.competition("whales"),
        a_person(site.process.services.database, "Ann"),
        "Ahab",
    )
    site.moment = NOON + timedelta(hours=2)  # after the old deadline
    assert site.send(team.id, 0.7, process=elsewhere) == 201
    with pytest.raises(QuotaExceededError):
        site.send(team.id, 0.8, process=same, seed=1)


def test_an_extended_deadline_is_kept_by_a_process_that_has_not_looked(site: Site) -> None:
    behind = site.start()
    site.edit("13:00:00Z", "15:00:00Z")
    site.look()
    site.moment = NOON + timedelta(hours=2)
    with pytest.raises(ConflictError, match="not closed"):
        finalize(behind.services, "whales")
    assert status(behind.services, "whales") == "open"
    site.moment = NOON + timedelta(hours=4)
    finalize(behind.services, "whales")
    site.edit("15:00:00Z", "19:00:00Z")
    site.look()
    assert "the results are final" in site.process.services.refused_changes["whales"]
    assert site.kinds()[-1] == "finalized"


@on_sqlite
def test_the_ledger_with_changes_in_it_verifies_and_replays(site: Site) -> None:
    services = site.process.services
    person = a_person(services.database, "Ann")
    team = create_team(services.database, services.competition("whales"), person, "Ahab")
    site.send(team.id, 0.6)
    site.edit("per_day = 2", "per_day = 9")
    (site.folder / "description.md").write_text("# Whales\n\nListen.\n")
    site.look()
    for seed in (1, 2, 3):
        site.send(team.id, 0.6 + seed / 10, seed=seed)
    live = services.competition("whales")
    with services.database.reading() as connection:
        entries = list(whole_view(connection, "whales").entries(connection))
    assert audit([entry.to_json() for entry in entries]).is_sound
    assert [entry.entry.kind for entry in entries].count("submission") == 4
    replayed = list(LedgerReplay({1: live}, live.files.read).releases(lambda: entries))
    assert {one.outcome for one in replayed} == {"same"}
    site.moment = NOON + timedelta(hours=2)
    with pytest.raises(DeadlinePassedError):
        site.send(team.id, 0.9, seed=4)
