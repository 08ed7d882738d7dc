"""The ledger over HTTP: who sees which opening when; what is published after the reveal; the commands that check it."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ladderboard.cli.main import cli
from ladderboard.server.audit.audit import audit
from tests.web.api.operated import PETS, competition_of, end, operated, submit, team_of_one
from tests.web.servers import Server


@pytest.fixture
def server(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    with operated(prepared_sqlite, tmp_path) as running:
        yield running


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def run(*arguments: str) -> Any:
    return CliRunner(env={"LADDERBOARD_TOKEN": ""}).invoke(cli, ["ledger", *arguments])


def test_a_sealed_entry_is_opened_for_its_team_and_after_the_reveal_for_all(server: Server) -> None:
    ada, bob, nobody = team_of_one(server, "ada"), team_of_one(server, "bob"), server.client()
    told = submit(ada, competition_of(server), 0.8)
    submit(bob, competition_of(server), 0.7, seed=1)

    def openings(client: Any) -> list[Any]:
        entries = client.get(f"{PETS}/ledger").json()["items"]
        return [entry["opening"] for entry in entries if entry["kind"] == "submission"]

    assert openings(nobody) == [None, None]
    assert [one is not None for one in openings(ada)] == [True, False]
    assert openings(ada)[0]["release"] == told["release"]
    assert [one is not None for one in openings(bob)] == [False, True]
    assert all(openings(server.organiser()))
    end(server)
    assert all(openings(nobody))


def test_the_ledger_comes_in_parts_with_its_head(server: Server) -> None:
    ada = team_of_one(server, "ada")
    for seed in range(4):
        submit(ada, competition_of(server), 0.6, seed=seed)
    entries: list[Any] = []
    address: str | None = f"{PETS}/ledger?limit=2"
    while address is not None:
        page = server.client().get(address).json()
        entries += page["items"]
        address = page["next"]
    assert page["total"] == len(entries) == 6
    assert page["head"] == entries[-1]["hash"]
    assert audit(entries).is_sound
    assert audit(lines(server.client().get(f"{PETS}/ledger?format=jsonl").text)).head == page["head"]


def test_a_private_competition_shows_no_ledger_to_strangers(prepared_sqlite: Path, tmp_path: Path) -> None:
    with operated(prepared_sqlite, tmp_path, rules={"visibility": "private"}) as server:
        for path in ("ledger", "ledger/publication", "ledger/publication/submissions"):
            assert server.client().get(f"{PETS}/{path}").status_code == 404
        assert server.organiser().get(f"{PETS}/ledger").status_code == 200


def test_before_the_reveal_nothing_is_published_not_even_to_the_organiser(server: Server) -> None:
    submit(team_of_one(server, "ada"), competition_of(server), 0.8)
    for client in (server.client(), server.organiser()):
        for path in ("publication", "publication/submissions"):
            answer = client.get(f"{PETS}/ledger/{path}")
            assert answer.status_code == 404
            assert "reveal" in answer.json()["error"]["message"]


def test_submissions_are_published_only_where_the_rules_announced_it(prepared_sqlite: Path, tmp_path: Path) -> None:
    with operated(prepared_sqlite, tmp_path, rules={"publish_submissions": False}) as server:
        submit(team_of_one(server, "ada"), competition_of(server), 0.8)
        end(server)
        assert server.client().get(f"{PETS}/ledger/publication").status_code == 200
        assert server.client().get(f"{PETS}/ledger/publication/submissions").status_code == 404
        answer = run("replay", f"{server.url}/competitions/pets")
        assert answer.exit_code == 2
        assert "only where the rules announced it" in answer.output


def test_a_solution_that_the_rules_keep_stays_secret_after_the_reveal(prepared_sqlite: Path, tmp_path: Path) -> None:
    rules = {"publish_submissions": False, "publish_solution": False}
    with operated(prepared_sqlite, tmp_path, rules=rules) as server:
        submit(team_of_one(server, "ada"), competition_of(server), 0.8)
        end(server)
        for client in (server.client(), server.organiser()):
            answer = client.get(f"{PETS}/ledger/publication")
            assert answer.status_code == 404
            assert "keep its solution secret" in answer.json()["error"]["message"]
        assert server.client().get(f"{PETS}/private-leaderboard").status_code == 200
        answer = run("verify", f"{server.url}/competitions/pets")
        assert answer.exit_code == 0, answer.output
        assert "the solution is not published" in answer.output


def test_anyone_can_verify_and_replay_a_revealed_competition_from_its_address(server: Server) -> None:
    people = [team_of_one(server, name) for name in ("ada", "bob")]
    for seed in range(6):
        submit(people[seed % 2], competition_of(server), 0.55 + seed / 20, seed=seed)
    page = f"{server.url}/competitions/pets/leaderboard"
    before = run("verify", page)
    assert before.exit_code == 0, before.output
    assert "sealed until the reveal" in before.output
    head = server.client().get(f"{PETS}/ledger").json()["head"]
    end(server)
    verified = run("verify", page, "--seen", head, "--json")
    assert verified.exit_code == 0, verified.output
    checks = {check["name"]: check["verdict"] for check in json.loads(verified.output)["checks"]}
    assert checks == dict.fromkeys(
        ("chain", "numbers", "seals", "earlier head", "commitment", "solution", "private board"), "sound"
    )
    replayed = run("replay", page)
    assert replayed.exit_code == 0, replayed.output
    assert "6 scores: 6 same" in replayed.output


def test_downloaded_files_are_checked_alike_and_a_changed_one_is_found(server: Server, tmp_path: Path) -> None:
    for seed in range(3):
        submit(team_of_one(server, f"p{seed}"), competition_of(server), 0.7, seed=seed)
    end(server)
    ledger, publication, files = (tmp_path / name for name in ("ledger.jsonl", "publication.json", "files.zip"))
    client = server.client()
    ledger.write_bytes(client.get(f"{PETS}/ledger?format=jsonl").content)
    publication.write_bytes(client.get(f"{PETS}/ledger/publication").content)
    files.write_bytes(client.get(f"{PETS}/ledger/publication/submissions").content)
    with zipfile.ZipFile(files) as archive:
        assert len(archive.namelist()) == 3
        archive.extractall(tmp_path / "unpacked")
    given = (str(ledger), "--publication", str(publication))
    assert run("verify", *given).exit_code == 0
    for submissions in (files, tmp_path / "unpacked"):
        assert run("replay", *given, "--submissions", str(submissions)).exit_code == 0
    record = json.loads(publication.read_text())
    record["solution"]["labels"][0] = 1 - record["solution"]["labels"][0]
    publication.write_text(json.dumps(record))
    found = run("verify", *given)
    assert found.exit_code == 1
    assert "✗ solution" in found.output
    changed = ledger.read_text().replace('"accepted": false', '"accepted": true', 1)
    if changed == ledger.read_text():
        changed = changed.replace('"accepted": true', '"accepted": false', 1)
    ledger.write_text(changed)
    found = run("verify", str(ledger))
    assert found.exit_code == 1
    assert "the opening is not what was sealed" in found.output


@pytest.mark.parametrize("text", ["", "nonsense\n", '{"seq": 1}\n', "[]\n", "\xff"])
def test_a_file_that_is_no_ledger_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text(text, encoding="latin-1")
    answer = run("verify", str(path))
    assert answer.exit_code in (1, 2)
    assert "Traceback" not in answer.output
    assert answer.exception is None or isinstance(answer.exception, SystemExit)


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:9/competitions/pets", "https://127.0.0.1:9/else", "no-such-file"]
)
def test_an_address_that_leads_nowhere_is_a_sentence_too(address: str) -> None:
    answer = run("verify", address)
    assert answer.exit_code == 2
    assert isinstance(answer.exception, SystemExit)
