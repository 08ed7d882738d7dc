"""Pictures of a description: served from images/ alone, with types that hold no script, to whom the competition is."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladderboard.competition import load_competition
from ladderboard.server.db.database import Database
from ladderboard.server.people.accounts import Registry
from tests.competition.checks.test_description_check import PNG
from tests.competition.folders import TOML, write_folder
from tests.web.pages.readers import Reader
from tests.web.pages.tree import tree_of
from tests.web.servers import PASSWORD, Server, a_host, serving

NO_PICTURES = (
    "gone.png", "../solution.csv", "..%2fsolution.csv", "%2e%2e/outside.png", "deep/../../outside.png", ".secret.png",
    "page.svg", "page.png", "solution.png", "out/whales/outside.png", "deep", "", "/etc/passwd", "%2fetc%2fpasswd",
    "deep%00.png", "..\\outside.png", "deep/./map.png%00",
)  # fmt: skip
DESCRIPTION = "# Whales\n\n![A map](images/deep/map.png)\n\n$$\\sum_i x_i$$\n"


@pytest.fixture
def server(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    """A public competition, and the same as a private one, each with a picture and things that are none."""
    shutil.copy(prepared_sqlite, tmp_path / "server.db")
    database = Database(f"sqlite:///{tmp_path / 'server.db'}")
    competitions = []
    for slug, more in (("whales", ""), ("hidden", 'visibility = "private"\n')):
        toml = TOML.replace('"whales"', f'"{slug}"') + more
        folder = write_folder(tmp_path / slug, toml, description__md=DESCRIPTION)
        images = folder / "images"
        (images / "deep").mkdir(parents=True)
        for name in ("deep/map.png", ".secret.png"):
            (images / name).write_bytes(PNG)
        (images / "page.svg").write_text("<svg onload='alert(1)'/>")
        (images / "page.png").write_text("<script>alert(1)</script>")
        (images / "solution.png").symlink_to(folder / "solution.csv")
        (images / "out").symlink_to(folder.parent)
        (folder / "outside.png").write_bytes(PNG)
        competitions.append(load_competition(folder))
    with serving(a_host(database, tmp_path, *competitions)) as running:
        yield running
    database.close()


def test_a_picture_is_shown_and_cannot_run(server: Server) -> None:
    client = server.client()
    page = tree_of(client.get("/competitions/whales").text)
    picture = next(one for one in page.all("img") if one.attributes["alt"] == "A map")
    answer = client.get(picture.attributes["src"])
    assert (answer.status_code, answer.content, answer.headers["content-type"]) == (200, PNG, "image/png")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert client.get(picture.attributes["src"], headers={"If-None-Match": answer.headers["etag"]}).status_code in (
        200,
        304,
    )
    assert page.one("math").attributes["display"] == "block"


def test_nothing_else_of_the_machine_is_served(server: Server) -> None:
    client = server.client()
    for name in NO_PICTURES:
        answer = client.get(f"/competitions/whales/images/{name}")
        assert answer.status_code == (400 if "%00" in name else 404), name


def test_the_pictures_of_a_private_competition_are_private(server: Server) -> None:
    address, absent = (f"/competitions/{slug}/images/deep/map.png" for slug in ("hidden", "absent"))
    for stranger in (Reader(server), Reader(server).sign_up("ada")):
        refused = stranger.open(address, status=404).text
        assert refused.replace("hidden", "absent") == stranger.open(absent, status=404).text
    Registry(server.app.state.accounts).add("olga", PASSWORD, role="organiser")
    olga = Reader(server).sign_in("olga")
    assert olga.http.get(address).content == PNG
