"""A service that grades outputs itself: over HTTP, by the Python client and by an agent's tools."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ladderboard as lb
from ladderboard.cli.guard.mcp_stdio import _read_file
from ladderboard.integrations.mcp_server import make_mcp_server
from tests.guard.services import RunningService, run_service
from tests.integrations.test_mcp_server import ask

TASKS = [{"id": f"t{n}", "input": f"{n} + {n}", "answer": f"secret {2 * n}"} for n in range(300)]


def grade(item: Any, output: Any) -> float:
    """Fails where an output is a number, with the answer in its words."""
    if isinstance(output, int):
        raise ValueError(item["answer"])
    return float(output["text"] == item["answer"])


def answers(right: int) -> dict[str, Any]:
    return {one["id"]: {"text": one["answer"] if n < right else "?"} for n, one in enumerate(TASKS)}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with run_service(tmp_path, items=TASKS, grader=grade) as running:
        yield running


def test_a_client_sends_outputs_and_hears_the_board(service: RunningService) -> None:
    with service.connect() as remote:
        first, again, better = (remote.score(answers(right)) for right in (200, 200, 280))
        assert (first.attempt, again.is_repeat, better.attempt) == (1, True, 2)
        assert better.improved
        assert remote.attempts == 2
    assert service.holdout.best == better.board_value


def test_an_agent_sends_outputs_by_its_tools(service: RunningService) -> None:
    with service.connect() as remote:
        told, again = ask(
            make_mcp_server(remote, _read_file),
            ("score", {"predictions": answers(280)}),
            ("score", {"predictions": list(answers(280).values()), "ids": list(answers(280))}),
        )
    assert (told["attempt"], told["improved"], again["is_repeat"]) == (1, True, True)


def test_a_grader_that_fails_tells_clients_nothing_and_charges_nothing(service: RunningService) -> None:
    with service.connect() as remote, pytest.raises(lb.LadderboardError) as failed:
        remote.score({**answers(300), "t7": 5})
    assert "secret" not in str(failed.value)
    assert "t7" not in str(failed.value)
    assert service.holdout.attempts == 0
    assert "secret 14" in "".join(service.complaints)


@pytest.mark.parametrize(
    ("outputs", "word"), [({"t1": {"text": "?"}}, "item"), ({**answers(3), "t999": {"text": "?"}}, "t999")]
)
def test_missing_and_unknown_tasks_are_refused(service: RunningService, outputs: Any, word: str) -> None:
    with service.connect() as remote, pytest.raises(lb.LadderboardError, match=word):
        remote.score(outputs)
    assert service.holdout.attempts == 0


def test_scores_of_ones_own_are_not_taken(service: RunningService) -> None:
    given = {"item_scores": [1.0] * 300, "ids": [one["id"] for one in TASKS]}
    answer = service.ask("POST", "/score", json=given)
    assert answer.status_code in (403, 422)
    assert service.holdout.attempts == 0
