"""Competitions made in the browser, as rows and files: seen by every process, kept by restarts and backups."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladderboard.competition import load_competition
from ladderboard.competition.loading import DESCRIPTION
from ladderboard.competition.rules.toml_edit import set_values
from ladderboard.competition.scaffold import Request
from ladderboard.core.errors import ConflictError, NotFoundError
from ladderboard.server.audit.audit import audit
from ladderboard.server.audit.ledger_view import whole_view
from ladderboard.server.competitions import stored_folders
from ladderboard.server.competitions.context import find_competition, list_competitions
from ladderboard.server.competitions.drafts import change_draft, discard_draft, make_draft, publish_draft, read_draft
from ladderboard.server.competitions.editing import change_competition, read_version
from ladderboard.server.competitions.folder_changes import FolderWatch
from ladderboard.server.competitions.records import DraftRecord
from ladderboard.server.competitions.stored_folders import UNUSED_SECONDS
from ladderboard.server.db.backup import restore_backup, write_backup
from ladderboard.server.db.database import Database
from ladderboard.server.db.rows import competitions
from ladderboard.server.results.rescoring import publish_rescoring
from ladderboard.server.services import Services, files_for, open_services
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.records import IncomingSubmission
from ladderboard.server.teams.teams import create_team
from tests.competition.folders import write_folder
from tests.hosting.competitions import NOON, a_file, predictions
from tests.hosting.people_fixtures import a_person

SOLUTION = ("id,label\n" + "".join(f"{i},{i % 2}\n" for i in range(60))).encode()
LARGE = b"id,weight\n" + b"".join(b"%d,1.5\n" % i for i in range(9000))
"""More than lies in the table of files beside SQLite."""


class Site:
    """One database, and server processes that begin without folders, each with a disk of its own."""

    def __init__(self, database_url: str, folder: Path) -> None:
        self.url, self.folder = database_url, folder
        self._opened: list[Services] = []

    def start(self, name: str = "one", *folders: Path) -> Services:
        files = self.folder if self.url.startswith("sqlite") else self.folder / name
        made = open_services(Settings(data=files, database=self.url), folders, clock=lambda: NOON)
        self._opened.append(made)
        return made

    def close(self) -> None:
        for services in self._opened:
            services.close()


@pytest.fixture
def site(database_url: str, tmp_path: Path) -> Iterator[Site]:
    made = Site(database_url, tmp_path)
    yield made
    made.close()


def a_draft(services: Services, title: str = "Odd or even") -> DraftRecord:
    return make_draft(services, SOLUTION, Request(Path("solution.csv"), title=title, metric="accuracy"))


def test_what_one_process_publishes_every_process_serves_at_once_and_after_a_restart(site: Site) -> None:
    one, two = site.start("one"), site.start("two")
    draft = change_draft(one, a_draft(one), {}, files={"data/train.csv": LARGE, DESCRIPTION: b"Odd?"})
    made = publish_draft(one, draft)
    assert find_competition(two, None, "odd-or-even").live.competition.description == "Odd?"
    assert [one.slug for one in list_competitions(site.start("three"), None)] == ["odd-or-even"]
    for services in (one, two, site.start("four")):
        live = services.competition("odd-or-even")
        assert live.secret == made.secret
        folder = find_competition(services, None, "odd-or-even").live.competition.folder
        assert folder is not None
        assert (folder / "data/train.csv").read_bytes() == LARGE
        team = create_team(services.database, live, a_person(services.database, f"p{id(services)}"), f"{id(services)}")
        content = a_file(live.competition, predictions(live.competition, 0.8, seed=id(services) % 1000))
        assert services.submit(live, IncomingSubmission(team.id, content, NOON)).status == 201
    with one.database.reading() as connection:
        entries = list(whole_view(connection, "odd-or-even").entries(connection))
    assert audit([entry.to_json() for entry in entries]).is_sound


def test_a_watching_process_takes_up_what_another_made_and_leaves_its_folder_alone(site: Site) -> None:
    one, two = site.start("one"), site.start("two")
    publish_draft(one, a_draft(one))
    watch = FolderWatch(two)
    for _ in range(3):
        watch.look()
    assert "odd-or-even" in two.competitions
    assert two.refused_changes == {}


def test_of_two_who_publish_one_draft_only_the_first_does(site: Site) -> None:
    services = site.start()
    draft = a_draft(services)
    publish_draft(services, draft)
    with pytest.raises(NotFoundError, match="may have been published"):
        publish_draft(services, draft)


def test_a_draft_that_changed_meanwhile_is_neither_changed_nor_published_nor_discarded(site: Site) -> None:
    services = site.start()
    old = a_draft(services)
    new = change_draft(services, old, {("limits", "per_day"): 9})
    for attempt in (
        lambda: change_draft(services, old, {("limits", "per_day"): 3}),
        lambda: publish_draft(services, old),
        lambda: discard_draft(services, old),
    ):
        with pytest.raises(ConflictError, match="meanwhile"):
            attempt()
    assert read_draft(services, old.id).record == new
    assert publish_draft(services, new).rules.limits.per_day == 9


def test_a_backup_has_what_was_made_in_the_browser_drafts_too(site: Site, tmp_path: Path) -> None:
    services = site.start()
    publish_draft(services, change_draft(services, a_draft(services), {}, files={"data/train.csv": LARGE}))
    waiting = a_draft(services, "Still a draft")
    write_backup(services.database, services.files, tmp_path / "all.backup")
    settings = Settings(data=tmp_path / "elsewhere", database=f"sqlite:///{tmp_path / 'restored.db'}")
    restored = Database(settings.database_url)
    restore_backup(tmp_path / "all.backup", restored, files_for(settings, restored))
    restored.close()
    again = open_services(settings, [], clock=lambda: NOON)
    folder = again.competition("odd-or-even").competition.folder
    assert folder is not None
    assert (folder / "data/train.csv").read_bytes() == LARGE
    assert publish_draft(again, waiting).slug == "still-a-draft"
    again.close()


def test_a_folder_of_the_same_name_is_refused_and_the_competition_goes_on(site: Site, tmp_path: Path) -> None:
    publish_draft(site.start(), a_draft(site.start(), "Whales"))
    with pytest.raises(ConflictError, match="made in the browser"):
        site.start("two", write_folder(tmp_path / "whales"))
    assert "whales" in site.start("three").competitions


def test_what_is_checked_out_is_a_cache_that_may_be_deleted_and_is_swept_when_it_was_replaced(site: Site) -> None:
    services = site.start()
    draft = a_draft(services)
    newer = change_draft(services, draft, {("limits", "per_day"): 9})
    for one in (draft, newer):
        services.folders.check_out(one.folder)
    with services.database.reading() as connection:
        used = competitions.list_folders(connection)
    path = services.folders.check_out(newer.folder)
    assert services.folders.sweep(used) == 0
    assert services.folders.sweep(used, now=path.stat().st_mtime + 2 * UNUSED_SECONDS) == 1
    assert [one.name for one in services.folders.root.iterdir()] == [newer.folder]
    services.folders.sweep([], now=path.stat().st_mtime + 2 * UNUSED_SECONDS)
    assert services.folders.check_out(newer.folder) == path


def test_a_correction_from_an_older_copy_of_the_folder_keeps_newer_rules(site: Site, tmp_path: Path) -> None:
    services = site.start()
    publish_draft(services, a_draft(services))
    older = tmp_path / "odd-or-even"
    stored_folders.write_folder(older, services.folders.read(read_version(services, "odd-or-even")))
    change_competition(
        services, "odd-or-even", {("", "title"): "Newer"}, based_on=read_version(services, "odd-or-even")
    )
    usage = services.competition("odd-or-even").competition.solution.usage
    rows = [f"{i},{(i + (i == 7)) % 2},{usage[i]}\n" for i in range(60)]
    (older / "solution.csv").write_text("id,label,Usage\n" + "".join(rows))
    toml = (older / "competition.toml").read_text()
    edits = {("solution", "usage"): "Usage", ("solution", "public_share"): None, ("solution", "split_seed"): None}
    (older / "competition.toml").write_text(set_values(toml, edits))
    assert publish_rescoring(services, "odd-or-even", load_competition(older)).scoring_version == 2
    again = site.start("again").competition("odd-or-even")
    assert again.rules.title == "Newer"
    assert again.competition.solution.labels[7] == 0
    live = change_competition(
        services, "odd-or-even", {("", "summary"): "Both"}, based_on=read_version(services, "odd-or-even")
    )
    assert (live.rules.title, live.rules.summary) == ("Newer", "Both")


def test_a_competition_whose_file_is_damaged_does_not_keep_the_others(tmp_path: Path) -> None:
    site = Site(f"sqlite:///{tmp_path / 'site.db'}", tmp_path)
    services = site.start()
    publish_draft(services, change_draft(services, a_draft(services, "Broken"), {}, files={"data/train.csv": LARGE}))
    publish_draft(services, a_draft(services, "Whole"))
    for folder in (tmp_path / "folders").iterdir():
        shutil.rmtree(folder)
    for path in (tmp_path / "files").rglob("*"):
        if path.is_file():
            path.write_bytes(b"damaged")
    assert list(site.start("two").competitions) == ["whole"]
    site.close()
