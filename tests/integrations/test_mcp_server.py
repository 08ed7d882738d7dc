"""The holdout's tools for agents, used by the SDK's own client: in memory, and as the process that a host starts."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

import ladderboard as lb
from ladderboard.cli.guard.mcp_stdio import _read_file
from ladderboard.client.retries import ONCE
from ladderboard.integrations.mcp_server import make_mcp_server
from tests.guard.guards import labels_of, with_errors
from tests.guard.services import ITEMS, RunningService, run_service

LABELS = labels_of(ITEMS)
FAIR = with_errors(LABELS, 180, seed=1)
LADDERBOARD = Path(sys.executable).with_name("ladderboard")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with run_service(tmp_path, ids=[f"row {number}" for number in range(ITEMS)]) as running:
        yield running


def ask(server: Any, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """What the tools answer to calls one after the other; an error as its text."""

    async def play() -> list[Any]:
        async with Client(server) as client:
            told: list[Any] = [await client.call_tool(name, arguments) for name, arguments in calls]
            return [one.content[0].text if one.is_error else one.structured_content for one in told]

    return anyio.run(play)


def describe(server: Any) -> dict[str, Any]:
    async def play() -> dict[str, Any]:
        async with Client(server) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

    return anyio.run(play)


def test_an_agent_is_told_how_to_use_the_tools_well(service: RunningService) -> None:
    with service.connect() as remote:
        tools = describe(make_mcp_server(remote, _read_file))
    assert set(tools) == {"score", "status", "plan"}
    for words in ("proven better", "no gradient", "recorded for ever", "pointless", "cross-validation", "`path`"):
        assert words in tools["score"].description
    assert tools["score"].annotations.idempotent_hint
    assert tools["status"].annotations.read_only_hint
    assert {"path", "columns", "predictions", "ids"} <= tools["score"].input_schema["properties"].keys()


def test_predictions_come_by_path_inline_or_by_id_and_are_one_attempt(service: RunningService, tmp_path: Path) -> None:
    ids = [f"row {number}" for number in range(ITEMS)]
    file = tmp_path / "predictions.csv"
    rows = [f"{name},{value}" for name, value in zip(ids, FAIR, strict=True)][::-1]
    file.write_text("\n".join(["id,p", *rows]))
    by_id = dict(zip(ids, FAIR.tolist(), strict=True))
    with service.connect() as remote:
        first, *again, status, plan = ask(
            make_mcp_server(remote, _read_file),
            ("score", {"path": str(file)}),
            ("score", {"predictions": FAIR.tolist()}),
            ("score", {"predictions": by_id}),
            ("score", {"predictions": FAIR[::-1].tolist(), "ids": ids[::-1]}),
            ("status", {}),
            ("plan", {}),
        )
    assert (first["attempt"], first["improved"], first["outcome"]) == (1, True, ["attempt 1"])
    assert [one["is_repeat"] for one in again] == [True, True, True]
    assert (status["items"], status["client"]["attempts"]) == (ITEMS, 1)
    assert [one["attempt"] for one in plan["gains"]] == [2, 12, 102, 1002]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "give either path or predictions"),
        ({"path": "a.csv", "predictions": [0]}, "give either path or predictions"),
        ({"path": "/nowhere/a.csv"}, "/nowhere/a.csv"),
        ({"path": "a.csv", "ids": ["a"]}, "a file brings its own ids"),
        ({"predictions": [0, 1]}, "2 predictions for 600 items"),
        ({"predictions": ["NaN"] * ITEMS}, "prediction"),
    ],
)
def test_a_refusal_is_a_sentence_that_charges_nothing(
    service: RunningService, given: dict[str, Any], words: str
) -> None:
    before = service.holdout.attempts
    with service.connect() as remote:
        (told,) = ask(make_mcp_server(remote, _read_file), ("score", given))
    assert words in told
    assert told.endswith("No attempt was used.")
    assert service.holdout.attempts == before


def test_a_wrong_token_and_a_service_that_is_gone_are_said(service: RunningService) -> None:
    with lb.RemoteHoldout(service.url, token="lb_wrong") as stranger:
        assert "unknown or revoked" in ask(make_mcp_server(stranger, _read_file), ("status", {}))[0]
    with lb.RemoteHoldout("http://127.0.0.1:1", retries=ONCE) as nobody:
        assert "they count once" in ask(make_mcp_server(nobody, _read_file), ("status", {}))[0]


def test_the_process_that_a_host_starts_asks_the_service_and_prints_nothing_else(service: RunningService) -> None:
    """The SDK's client fails on any line of standard output that is not of the protocol."""
    server = StdioServerParameters(
        command=str(LADDERBOARD),
        args=["holdout", "serve", "--mcp", "--url", service.url],
        env={"LADDERBOARD_HOLDOUT_TOKEN": service.token},
    )
    other = with_errors(LABELS, 300, seed=11).tolist()
    told, refused = ask(server, ("score", {"predictions": other}), ("score", {"predictions": [0, 1]}))
    assert (told["improved"], told["attempt"]) == (False, service.holdout.attempts)
    assert "2 predictions for 600 items" in refused


def test_with_the_labels_in_the_same_process_their_file_is_no_prediction(tmp_path: Path) -> None:
    labels, guard = tmp_path / "labels.csv", tmp_path / "holdout.db"
    labels.write_text("y\n" + "\n".join(map(str, LABELS)) + "\n")
    lb.Holdout(LABELS, path=guard, seed=7).close()
    (tmp_path / "link.csv").hardlink_to(labels)
    server = StdioServerParameters(
        command=str(LADDERBOARD), args=["holdout", "serve", str(guard), "--labels", str(labels), "--mcp"]
    )
    told, *refused, status = ask(
        server,
        ("score", {"predictions": FAIR.tolist()}),
        ("score", {"path": str(labels)}),
        ("score", {"path": str(tmp_path / "link.csv")}),
        ("status", {}),
    )
    assert told["outcome"][0].startswith("Improved: ")
    assert all("is a file of the guard itself" in one for one in refused)
    assert (status["attempts"], status["client"]) == (1, None)
    assert json.dumps(status)
