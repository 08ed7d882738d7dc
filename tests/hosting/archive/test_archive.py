"""An archive: complete, without a broken link, without what needs a server, and its ledger verifies."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from ladderboard.cli.main import cli
from ladderboard.core.errors import ConflictError
from ladderboard.server.announcements.rules import post
from ladderboard.server.archive.pages import make_standalone
from ladderboard.server.archive.site import list_members
from ladderboard.server.lifecycle import freeze, reveal
from ladderboard.server.operations.archives import write_export
from ladderboard.server.results.finalizing import finalize
from tests.hosting.hosts import Begin, Stage, on_sqlite
from tests.web.pages.tree import tree_of

EVIL = '<img src=x>"&'


def finished(begin: Begin, **rules: object) -> Stage:
    stage = begin(mechanism="ladder", metric="error_rate", **{"publish_submissions": True, **rules})
    for seed, team in enumerate(("Owls", "Bears")):
        stage.send(team, 0.7 + seed / 10, seed=seed)
    stage.team(EVIL)
    stage.send(EVIL, 0.6, seed=7)
    post(
        stage.database,
        "pets",
        "News",
        "See [this](https://example.org) and [the board](/competitions/pets/leaderboard).",
    )
    stage.pass_time(timedelta(hours=1))
    freeze(stage.services, "pets")
    stage.pass_time(timedelta(hours=1))
    finalize(stage.services, "pets", at_once=True)
    return stage


def write(stage: Stage, target: Path) -> Path:
    write_export(list_members(stage.services, "pets"), target, progress=lambda _: None)
    return target


@on_sqlite
def test_it_has_every_page_and_no_link_is_broken(begin: Begin, tmp_path: Path) -> None:
    stage = finished(begin)
    reveal(stage.services, "pets")
    site = write(stage, tmp_path / "site")
    names = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
    assert {
        "index.html", "data.html", "rules.html", "leaderboard.html", "results.html", "announcements.html",
        "announcements.atom", "leaderboard.csv", "private-leaderboard.csv", "ledger.jsonl", "publication.json",
        "submissions.zip", "mechanism.html", "static/ladderboard.css", "data/sample_submission.csv",
    } <= names  # fmt: skip
    for page in site.glob("*.html"):
        html = page.read_text()
        assert tree_of(html).one("h1")
        for target in re.findall(r'(?:href|src)="([^"]*)"', html):
            if not target.startswith(("#", "https://", "http://")):
                assert (site / target.partition("#")[0]).is_file(), f"{page.name}: {target}"
    board = (site / "leaderboard.html").read_text()
    assert "Owls" in board
    assert "<img src=x>" not in board


@on_sqlite
def test_what_needs_a_server_is_gone(begin: Begin, tmp_path: Path) -> None:
    stage = finished(begin)
    reveal(stage.services, "pets")
    for page in write(stage, tmp_path / "site").glob("*.html"):
        html = page.read_text()
        assert not re.search(r"<(form|script|button)\b|/sign-in|csrf", html), page.name
        assert "This is an archive" in html


@on_sqlite
def test_its_ledger_verifies_without_the_server(begin: Begin, tmp_path: Path) -> None:
    stage = finished(begin)
    reveal(stage.services, "pets")
    site = write(stage, tmp_path / "site")
    words = ["ledger", "verify", str(site / "ledger.jsonl"), "--publication", str(site / "publication.json")]
    told = CliRunner().invoke(cli, words)
    assert told.exit_code == 0, told.output
    assert "The ledger is sound." in told.output
    lines = (site / "ledger.jsonl").read_text().replace("Owls", "Cows", 1)
    (site / "ledger.jsonl").write_text(lines)
    assert CliRunner().invoke(cli, words).exit_code == 1, "a changed archive is found out"


@on_sqlite
def test_nothing_is_archived_before_it_is_public(begin: Begin, tmp_path: Path) -> None:
    stage = finished(begin)
    with pytest.raises(ConflictError, match="reveal its results first"):
        write(stage, tmp_path / "site")
    assert not list(tmp_path.glob("*site*"))


@on_sqlite
def test_a_private_competition_is_not_archived(begin: Begin, tmp_path: Path) -> None:
    stage = finished(begin, visibility="private")
    reveal(stage.services, "pets")
    with pytest.raises(ConflictError, match="is private"):
        write(stage, tmp_path / "site")


def test_links_lead_to_files_or_become_text() -> None:
    files = {"/a?x=1&y=2": "a.html"}.get
    html = '<a class="b" href="/a?x=1&amp;y=2#c">A</a> <a href="/sign-in">in</a> <a href="#d">D</a>'
    assert make_standalone(html, find_file=files, note="") == (
        '<a class="b" href="a.html#c">A</a> in <a href="#d">D</a>'
    )
