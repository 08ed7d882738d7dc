"""What surrounds every request: ids, headers, limits, one shape of error, health."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from sqlalchemy import text

from ladderboard.core.errors import DamagedDatabaseError, ParameterError
from ladderboard.server.app.errors import find_answer
from ladderboard.server.db.database import Database
from ladderboard.server.db.files import LOOK_AGAIN_SECONDS
from ladderboard.server.results.rescoring import publish_rescoring
from ladderboard.server.settings import Settings
from tests.hosting.competitions import a_competition, a_file, predictions
from tests.web.servers import Server, a_host, serving


def error_of(answer: httpx.Response) -> dict[str, Any]:
    """The error of an answer, which has the one shape and no other."""
    body = answer.json()
    assert list(body) == ["error"]
    assert sorted(body["error"]) == ["code", "details", "message"]
    error: dict[str, Any] = body["error"]
    return error


def test_the_server_says_that_it_runs_and_is_ready(server: Server) -> None:
    client = server.client()
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ok", "damaged_files": 0}


def test_a_server_whose_tables_are_of_another_version_is_not_ready(server: Server) -> None:
    with server.services.database.transaction() as connection:
        connection.execute(text("UPDATE schema_version SET version_num = 'older'"))
    answer = server.client().get("/readyz")
    assert (answer.status_code, error_of(answer)["code"]) == (503, "unavailable")
    assert answer.headers["retry-after"] == "5"
    assert server.client().get("/healthz").status_code == 200


def test_a_server_that_cannot_read_a_corrected_solution_is_not_ready(database: Database, tmp_path: Path) -> None:
    with serving(a_host(database, tmp_path, a_competition())) as server:
        client = server.client()
        elsewhere = a_host(database, tmp_path, a_competition())
        labels = a_competition().solution.labels
        for version, turned in ((2, 10), (3, 20)):
            right = np.where(np.arange(len(labels)) < turned, 1 - labels, labels)
            one = a_competition()
            publish_rescoring(elsewhere, "pets", replace(one, solution=replace(one.solution, labels=right)))
            if version == 2:
                assert client.get("/readyz").status_code == 200
                assert server.services.competition("pets").scoring_version == 2
        with database.transaction() as connection:
            connection.execute(text("UPDATE files SET content = :bytes"), {"bytes": b"x"})
        answer = client.get("/readyz")
        assert (answer.status_code, error_of(answer)["code"]) == (503, "unavailable")
        assert "the corrected solution of pets cannot be read" in error_of(answer)["message"]


def test_a_damaged_file_is_told_to_the_organiser_and_costs_its_team_nothing(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    live = server.services.competition("pets")
    ada = server.sign_up("Ada")
    ada.post("/api/v1/competitions/pets/teams", json={"name": "Engines"}).raise_for_status()

    def submit(seed: int) -> httpx.Response:
        content = a_file(live.competition, predictions(live.competition, 0.9, seed=seed))
        return ada.post("/api/v1/competitions/pets/submissions", files={"file": ("p.csv", content)})

    assert submit(1).json()["release"]["improved"]
    with server.services.database.transaction() as connection:
        mine = "SELECT digest, content FROM files JOIN submissions ON digest = file_digest"
        digest, content = connection.execute(text(mine)).one()
        connection.execute(text("UPDATE files SET content = X'78'"))
    live.evaluations._remembered.clear()  # as after a restart
    answer = submit(2)
    assert (answer.status_code, error_of(answer)["code"]) == (503, "unavailable")
    assert "a stored file is damaged; the organiser can restore it" in error_of(answer)["message"]
    assert digest not in answer.text
    assert f"the file {digest} in" in caplog.text
    assert ada.get("/readyz").json()["damaged_files"] == 1
    assert ada.get("/api/v1/competitions/pets/submissions").json()["total"] == 1
    with server.services.database.transaction() as connection:  # as `ladderboard verify-files --from` does
        connection.execute(text("UPDATE files SET content = :content"), {"content": content})
    server.services.files._looked = -LOOK_AGAIN_SECONDS  # as some seconds later
    assert ada.get("/readyz").json()["damaged_files"] == 0


def test_a_damaged_database_is_told_to_whoever_runs_the_server(caplog: pytest.LogCaptureFixture) -> None:
    answer = find_answer(DamagedDatabaseError("restore the last backup"))
    assert answer is not None
    assert (answer.status, answer.code) == (503, "unavailable")
    assert "has to restore it" in answer.message
    assert "restore the last backup" in caplog.text


def test_the_embedded_board_may_be_framed_by_the_sites_that_the_organiser_names(server: Server) -> None:
    services = server.services
    services.settings = replace(services.settings, embed_sites="https://lab.example.org, https://*.example.com")
    policy = server.client().get("/competitions/pets/embed").headers["content-security-policy"]
    assert policy.endswith("frame-ancestors https://lab.example.org https://*.example.com")
    with pytest.raises(ParameterError, match="give addresses such as"):
        Settings.from_environment({"LADDERBOARD_EMBED_SITES": "https://a.org; script-src *"})


JSON = {"Content-Type": "application/json"}
SURROGATE = b'{"name": "\\ud800ab", "password": "12345678"}'
REFUSED: list[tuple[str, str, dict[str, Any], int, str]] = [
    ("GET", "/api/v1/nothing", {}, 404, "not_found"),
    ("GET", "/api/v1/competitions/nothing", {}, 404, "not_found"),
    ("DELETE", "/api/v1/accounts", {}, 405, "method_not_allowed"),
    ("GET", "/api/v1/a%00b", {}, 400, "bad_request"),
    ("GET", "/api/v1/competitions?x=%00", {}, 400, "bad_request"),
    ("POST", "/api/v1/accounts", {"content": b"{", "headers": JSON}, 422, "invalid_request"),
    ("POST", "/api/v1/accounts", {"content": b"{}"}, 422, "invalid_request"),
    ("POST", "/api/v1/accounts", {"content": b'{"name": "\xff"}', "headers": JSON}, 400, "bad_request"),
    ("POST", "/api/v1/accounts", {"json": {"name": "ada"}}, 422, "invalid_request"),
    ("POST", "/api/v1/accounts", {"json": {"name": "a\x00b", "password": "12345678"}}, 422, "invalid_request"),
    ("POST", "/api/v1/accounts", {"content": SURROGATE, "headers": JSON}, 422, "invalid_request"),
    ("POST", "/api/v1/accounts", {"json": {"name": "a", "password": "12345678"}}, 422, "bad_parameter"),
    ("POST", "/api/v1/accounts", {"json": {"name": "ada", "password": "12345678", "x": 1}}, 422, "invalid_request"),
    ("GET", "/api/v1/me", {}, 401, "sign_in_required"),
    ("GET", "/api/v1/me", {"headers": {"Authorization": "Basic YTpi"}}, 401, "sign_in_required"),
    ("GET", "/api/v1/competitions", {"headers": {"Authorization": "Bearer lb_wrong"}}, 401, "sign_in_required"),
    ("GET", "/api/v1/competitions?limit=0", {}, 422, "invalid_request"),
    ("GET", "/api/v1/competitions?offset=99999999999999999999", {}, 422, "invalid_request"),
    ("POST", "/api/v1/accounts", {"content": b"x" * (1 << 20) + b"y"}, 413, "too_large"),
]


def test_every_error_has_the_one_shape(server: Server) -> None:
    for method, path, more, status, code in REFUSED:
        answer = server.client().request(method, path, **more)
        error = error_of(answer)
        case = (method, path, str(more)[:80])
        assert (case, answer.status_code, error["code"]) == (case, status, code)
        assert error["message"]
        if status == 401:
            assert answer.headers["www-authenticate"] == "Bearer"
        if status == 405:
            assert answer.headers["allow"] == "POST"


def test_a_body_that_does_not_tell_its_length_is_limited_too(server: Server) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * (64 << 10)

    answer = server.client().post("/api/v1/accounts", content=endless())
    assert (answer.status_code, error_of(answer)["code"]) == (413, "too_large")


def test_what_was_given_is_not_echoed(server: Server) -> None:
    given = {"name": "ada", "password": ["my secret word"], "code": 7}
    answer = server.client().post("/api/v1/accounts", json=given)
    assert answer.status_code == 422
    assert [one["where"] for one in error_of(answer)["details"]["fields"]] == ["body.password", "body.code"]
    assert "secret" not in answer.text


def test_a_fault_of_ours_tells_an_id_and_nothing_else(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    @server.app.get("/api/v1/broken")
    def broken() -> None:
        raise ValueError("label of row 7 is 1")

    # Pages may have taken every other address; this one goes first.
    server.app.router.routes.insert(0, server.app.router.routes.pop())
    with caplog.at_level(logging.ERROR, logger="ladderboard.web"):
        answer = server.client().get("/api/v1/broken")
    error = error_of(answer)
    assert (answer.status_code, error["code"]) == (500, "internal_error")
    assert error["details"] == {"request_id": answer.headers["x-request-id"]}
    assert "label" not in answer.text
    assert answer.headers["x-request-id"] in caplog.text
    assert "ValueError" in caplog.text
    assert "label of row" not in caplog.text


def test_a_database_that_is_gone_is_a_passing_fault(server: Server) -> None:
    with server.services.database.transaction() as connection:
        connection.execute(text("ALTER TABLE competitions RENAME TO gone"))
    answer = server.client().get("/api/v1/competitions/pets")
    assert (answer.status_code, error_of(answer)["code"]) == (503, "unavailable")
    assert "gone" not in answer.text
    assert "SELECT" not in answer.text


def test_every_answer_has_an_id_and_safe_headers(server: Server) -> None:
    client = server.client()
    for path in ("/healthz", "/api/v1/competitions", "/api/v1/nothing"):
        headers = client.get(path).headers
        assert len(headers["x-request-id"]) == 16
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "strict-transport-security" not in headers


def test_the_id_of_a_proxy_is_kept_if_it_is_harmless(server: Server) -> None:
    client = server.client()
    assert client.get("/healthz", headers={"X-Request-Id": "proxy-12345"}).headers["x-request-id"] == "proxy-12345"
    for wrong in ("short", "x" * 65, "a b c d e f", 'quote"quote'):
        assert client.get("/healthz", headers={"X-Request-Id": wrong}).headers["x-request-id"] != wrong


def test_the_description_of_the_api_names_every_route_and_the_shape_of_errors(server: Server) -> None:
    described = server.client().get("/api/v1/openapi.json").json()
    for path in ("/api/v1/accounts", "/api/v1/tokens", "/api/v1/competitions/{slug}/teams", "/healthz"):
        assert path in described["paths"]
    for path, operations in described["paths"].items():
        if not path.startswith("/api/v1"):
            continue
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    assert answer["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorBody")


@pytest.mark.parametrize(
    "address",
    ["/healthz", "/readyz", "/api/v1/competitions", "/api/v1/competitions/pets/leaderboard", "/", "/api/v1/nothing"],
)
def test_head_is_answered_like_get_without_the_body(server: Server, address: str) -> None:
    client = server.client()
    asked, got = client.head(address), client.get(address)
    assert (asked.status_code, asked.content) == (got.status_code, b"")
    assert asked.headers["content-type"] == got.headers["content-type"]
    assert asked.headers["content-length"] == got.headers["content-length"]
    assert client.head(address).headers["x-request-id"] != asked.headers["x-request-id"]
