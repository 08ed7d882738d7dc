"""The organiser's commands on a server's own data, from the first team to a correction after the end."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import update

from ladderboard.cli.main import cli
from ladderboard.server.db.database import Database
from ladderboard.server.db.rows import teams
from ladderboard.server.db.schema import competitions
from ladderboard.server.people.names import name_key
from ladderboard.server.services import open_services
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.records import IncomingSubmission
from tests.hosting.competitions import a_competition, a_file, predictions
from tests.hosting.live import write_folder
from tests.hosting.webhooks.receivers import receiving

COMPETITION = a_competition(mechanism="ladder", metric="error_rate", rows=1000)


class Office:
    """A competition in a folder, data beside it, and commands."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = write_folder(folder / "pets", COMPETITION), folder / "data"
        self.settings = Settings(data=self.data)
        open_services(self.settings, [self.folder]).close()

    def run(self, *arguments: str | Path, fails: int = 0, **environment: str) -> Result:
        words = [*map(str, arguments), "--data", str(self.data)]
        answer = CliRunner(env=environment).invoke(cli, words)
        assert answer.exit_code == fails, answer.output
        assert answer.exception is None or isinstance(answer.exception, SystemExit)
        return answer

    def json(self, *arguments: str | Path) -> Any:
        return json.loads(self.run(*arguments, "--json").stdout)

    def submit(self, name: str, *shares: float) -> None:
        services = open_services(self.settings, [self.folder])
        with services.database.transaction() as connection:
            now = services.database.now(connection)
            team = teams.find_named(connection, "pets", name_key(name)) or teams.add(
                connection, "pets", name=name, name_key=name_key(name), now=now
            )
        assert team is not None
        for seed, share in enumerate(shares):
            content = a_file(COMPETITION, predictions(COMPETITION, share, seed=seed))
            services.referee.submit(services.competition("pets"), IncomingSubmission(team.id, content, now))
        services.close()


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def test_a_competition_is_closed_finalized_revealed_corrected_and_replayed(office: Office, tmp_path: Path) -> None:
    office.submit("Whales", 0.7, 0.9)
    office.submit("Sharks", 0.6)
    ones = tmp_path / "ones.csv"
    ones.write_bytes(a_file(COMPETITION, [1] * 1000))
    assert "is on the board" in office.run("baseline", "add", office.folder, "All ones", ones).output
    assert "not closed" in office.run("finalize", office.folder, fails=2).output
    assert office.json("finalize", office.folder, "--preview")["rows"][0]["team"] == "Whales"
    assert "closed" in office.run("freeze", office.folder).output
    assert "open again" in office.run("freeze", office.folder, "--undo").output
    office.run("freeze", office.folder)
    assert "--at-once" in office.run("finalize", office.folder, fails=2).output
    assert "not computed yet" in office.run("reveal", office.folder, "--yes", fails=2).output
    assert "Finalized" in office.run("finalize", office.folder, "--at-once").output
    assert "revealed" in office.run("reveal", office.folder, "--yes").output
    assert "4 same" in office.run("ledger", "replay", office.folder).output

    labels = COMPETITION.solution.labels.copy()
    labels[:20] = 1 - labels[:20]
    rows = zip(COMPETITION.solution.ids, labels, COMPETITION.solution.usage, strict=True)
    (office.folder / "solution.csv").write_text("id,label,Usage\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    assert "are not the ones that count" in office.run("freeze", office.folder, fails=2).output
    assert "4 same" in office.run("ledger", "replay", office.folder).output
    preview = office.json("rescore", office.folder)
    assert (preview["scoring_version"], preview["submissions"]) == (2, 4)
    assert "Published" in office.run("rescore", office.folder, "--publish", "--yes").output
    assert "5 same" in office.run("ledger", "replay", office.folder).output
    other = write_folder(tmp_path / "x", a_competition())
    refused = office.run("ledger", "replay", office.folder, "--old", other, fails=2)
    assert "that this server never served" in refused.output


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_correction_that_moves_a_row_is_refused(office: Office, *, is_kept: bool) -> None:
    text = (office.folder / "solution.csv").read_text()
    (office.folder / "solution.csv").write_text(text.replace(",Public", ",Private", 1))
    if not is_kept:
        with Database(office.settings.database_url).transaction() as connection:
            connection.execute(update(competitions).values(solution_file=None))
    refused = office.run("rescore", office.folder, fails=2).output
    assert ("1 row would change sides" if is_kept else "only an older version has served") in refused


def test_a_team_gets_more_attempts_and_everybody_can_see_that_it_did(office: Office) -> None:
    office.submit("Whales", 0.7)
    assert office.json("quota", "pets", "whales")["extra_per_day"] == 0
    granted = office.json("quota", office.folder, "WHALES", "--extra-total", "3", "--reason", "a fault of ours")
    assert (granted["extra_total"], granted["attempts"]) == (3, 1)
    last = office.run("ledger", "show", "pets", "--last", "1").output
    assert "quota_granted" in last
    assert "a fault of ours" in last
    assert "no team" in office.run("quota", "pets", "Nobody", fails=2).output
    assert "no competition" in office.run("quota", "others", "Whales", fails=2).output
    assert "give a number" in office.run("quota", "pets", "Whales", "--extra-total", "-1", fails=2).output


def test_what_was_noticed_is_listed_and_dismissed(office: Office) -> None:
    office.submit("Whales", 0.7)
    office.submit("Sharks", 0.7)  # the same file
    [flag] = [one for one in office.json("flags", "pets") if one["kind"] == "copy"]
    assert (flag["team"], flag["other_team"]) == ("Sharks", "Whales")
    assert "same predictions as another team (Whales)" in office.run("flags", office.folder).output
    assert office.run("flags", office.folder).output.endswith("\n1 flag.\n")
    office.run("flags", "pets", "--dismiss", flag["id"])
    assert "same predictions" not in office.run("flags", "pets").output
    assert "[dismissed]" in office.run("flags", "pets", "--all").output
    assert "no flag" in office.run("flags", "pets", "--dismiss", "x", fails=2).output


def test_a_bad_baseline_leaves_nothing_behind(office: Office, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("id,label\n1,x\n")
    office.run("baseline", "add", office.folder, "Broken", bad, fails=2)
    assert "baseline_created" not in office.run("ledger", "show", "pets").output
    office.submit("Whales", 0.7)
    good = tmp_path / "good.csv"
    good.write_bytes(a_file(COMPETITION, [0] * 1000))
    assert "there is a team" in office.run("baseline", "add", office.folder, "whales", good, fails=2).output


def test_webhooks_are_made_listed_delivered_and_removed(office: Office) -> None:
    here = "127.0.0.1"
    with receiving() as receiver:
        assert "is a private address" in office.run("webhooks", "add", receiver.url, fails=2).output
        made = office.run(
            "webhooks", "add", receiver.url, "--competition", "pets", LADDERBOARD_WEBHOOKS_MAY_REACH=here
        ).output
        office.submit("Whales", 0.7)
        assert "1 delivery was tried." in office.run("webhooks", "deliver", LADDERBOARD_WEBHOOKS_MAY_REACH=here).output
    [request] = receiver.requests
    assert json.loads(request.body)["team"]["name"] == "Whales"
    [hook] = office.json("webhooks", "list")
    assert hook["id"] in made
    assert (hook["delivered"], hook["secret"]) == (1, None)
    assert "0 deliveries" in office.run("webhooks", "retry", hook["id"]).output
    office.run("webhooks", "remove", hook["id"])
    assert office.json("webhooks", "list") == []
    assert "no webhook" in office.run("webhooks", "remove", hook["id"], fails=2).output
    assert (
        "no competition" in office.run("webhooks", "add", "https://example.org/", "--competition", "x", fails=2).output
    )


def test_an_export_is_a_folder_or_a_zip(office: Office, tmp_path: Path) -> None:
    office.submit("=Whales", 0.7)
    office.run("export", office.folder, "--to", tmp_path / "out")
    assert "'=Whales" in (tmp_path / "out" / "teams.csv").read_text()
    office.run("export", "pets", "--to", tmp_path / "out.zip", "--format", "json", "--files")
    assert (tmp_path / "out.zip").stat().st_size > 1000
    assert "already exists" in office.run("export", "pets", "--to", tmp_path / "out", fails=2).output


def test_a_wrong_data_folder_makes_nothing(office: Office, tmp_path: Path) -> None:
    office.data = tmp_path / "elsewhere"
    for command in (("freeze",), ("finalize",), ("ledger", "replay")):
        assert "there is no" in office.run(*command, office.folder, fails=2).output
    assert not office.data.exists()
