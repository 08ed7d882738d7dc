"""A submission is answered alike, whether its route was found at once or among all others."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from ladderboard.store.database import Database
from ladderboard.store.migrations import upgrade
from tests.hosting.competitions import a_competition
from tests.web.servers import Server, a_host, serving

NEVER = re.compile(r"(?!)")
ADDRESS = "/api/v1/competitions/pets/submissions"


def told(answer: httpx.Response) -> tuple[int, set[str], Any]:
    """What an answer says but for ids and times."""
    body = re.sub(r'"(id|received_at|resets_at)":"[^"]*"', "", answer.text)
    return answer.status_code, set(answer.headers), re.sub(r"[0-9a-f]{16,}", "", body)


def all_answers(server: Server) -> list[tuple[int, set[str], Any]]:
    """Everything that the route says, from everybody."""
    good = b"id,label\n" + b"".join(b"%d,%d\n" % (row, row % 2) for row in range(1, 201))
    file = {"file": ("mine.csv", good)}
    nobody, eve, ada, olga = server.client(), server.sign_up("eve"), server.sign_up("ada"), server.organiser()
    assert ada.post("/api/v1/competitions/pets/teams", json={"name": "Night Shift"}).status_code == 201
    asked = [
        nobody.post(ADDRESS, files=file),
        nobody.post(ADDRESS, files=file, headers={"Authorization": "Basic YWRhOmFkYQ=="}),
        nobody.post(ADDRESS, files=file, headers={"Authorization": "Bearer unknown"}),
        nobody.get(ADDRESS),
        eve.post(ADDRESS, files=file),
        olga.post(ADDRESS, files=file),
        ada.post("/api/v1/competitions/none/submissions", files=file),
        ada.post(f"{ADDRESS}/", files=file),
        ada.post(ADDRESS, content=b"no form"),
        ada.post(ADDRESS, files={"file": ("mine.csv", b"id,label\n0,1\n")}),
        ada.post(ADDRESS, files=file, data={"training_score": "high"}),
        ada.post(ADDRESS, files=file, headers={"Idempotency-Key": "k" * 201}),
        ada.post(ADDRESS, files=file, headers={"Idempotency-Key": "k" * 200}),
        ada.post(ADDRESS, files=file, headers={"Idempotency-Key": "k" * 200}),
        ada.post(ADDRESS, files=file),
        ada.post(
            ADDRESS,
            files={"file": ("mine.csv", good.replace(b"\n200,0", b"\n200,1"))},
            headers={"Idempotency-Key": "k" * 200},
        ),
        ada.head(ADDRESS),
        ada.get("/metrics"),
    ]
    *answers, counts = asked
    counted = [line for line in counts.text.splitlines() if "submissions" in line and "seconds" not in line]
    return [*map(told, answers), (0, set(counted), "")]


def test_every_answer_and_count_is_that_of_the_usual_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []
    for way in ("direct", "usual"):
        if way == "usual":
            monkeypatch.setattr("ladderboard.web.direct_submissions._ADDRESS", NEVER)
        folder = tmp_path / way
        database = Database(f"sqlite:///{folder / 'server.db'}")
        upgrade(database)
        with serving(a_host(database, folder, a_competition(rows=200))) as server:
            answers.append(all_answers(server))
        database.close()
    direct, usual = answers
    assert direct == usual
    assert {status for status, _, _ in direct} >= {200, 201, 401, 403, 404, 409, 422}
