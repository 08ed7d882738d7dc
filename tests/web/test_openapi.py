"""The OpenAPI description is true: whatever is asked, the answers are the described ones and no fault of ours."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from ladderboard.server.db.database import Database
from tests.hosting.competitions import a_competition, a_file, predictions
from tests.web.servers import Server, a_host, serving

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = {GenerationMode.POSITIVE: 6, GenerationMode.NEGATIVE: 3}
"""Of each operation, for each person. Data that break the description on purpose take long to make."""
PEOPLE = ["nobody", "participant", "organiser"]


@dataclass(frozen=True)
class Arena:
    """A server with something on it, and who talks to it."""

    server: Server
    tokens: dict[str, str | None]
    known: dict[str, str]
    """What stands for a part of an address most of the time, so that the answer is not always "there is none"."""
    operations: list[Any]
    """Those of the description. What makes their data is built when it is first needed, and kept with them."""


@pytest.fixture(scope="module")
def arena(prepared_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    folder = tmp_path_factory.mktemp("openapi")
    shutil.copy(prepared_sqlite, folder / "server.db")
    database = Database(f"sqlite:///{folder / 'server.db'}")
    competition = a_competition(rows=40)
    with serving(a_host(database, folder, competition, uploads_per_minute=10**6)) as server:
        ada, olga = server.sign_up("ada"), server.organiser("olga")
        assert ada.post("/api/v1/competitions/pets/teams", json={"name": "Night Shift"}).status_code == 201
        files = {"file": ("mine.csv", a_file(competition, predictions(competition, 0.8)))}
        answer = ada.post("/api/v1/competitions/pets/submissions", files=files)
        assert answer.status_code == 201, answer.text
        known = {"slug": "pets", "name": "Night Shift", "submission_id": answer.json()["id"]}
        tokens = {"nobody": None, "participant": _token(ada), "organiser": _token(olga)}
        yield Arena(server, tokens, known, list_operations(server))
    database.close()


def list_operations(server: Server) -> list[Any]:
    """All operations: what takes away comes last, so that there is something to ask about before."""
    found = list(schemathesis.openapi.from_url(f"{server.url}/api/v1/openapi.json").get_all_operations())
    operations = [one.ok() for one in found if isinstance(one, Ok)]
    assert len(operations) == len(found)  # the description itself is sound
    return sorted(operations, key=lambda one: (one.method == "delete", one.path))


def _token(client: object) -> str:
    return str(client.headers["authorization"]).removeprefix("Bearer ")  # type: ignore[attr-defined]


everybody = pytest.mark.parametrize("person", PEOPLE)
every_mode = pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)


@everybody
@every_mode
def test_every_answer_is_a_described_one(arena: Arena, person: str, mode: GenerationMode) -> None:
    assert_described(arena, person, mode, examples=EXAMPLES[mode], is_repeatable=True)


@pytest.mark.soak
@everybody
@every_mode
def test_every_answer_is_a_described_one_however_long_one_asks(arena: Arena, person: str, mode: GenerationMode) -> None:
    assert_described(arena, person, mode, examples=20 * EXAMPLES[mode], is_repeatable=False)


def assert_described(arena: Arena, person: str, mode: GenerationMode, *, examples: int, is_repeatable: bool) -> None:
    """Ask every operation of the description; all problems are told at once."""
    headers = {"Authorization": f"Bearer {arena.tokens[person]}"} if arena.tokens[person] else {}
    usual = settings(
        max_examples=examples,
        deadline=None,
        derandomize=is_repeatable,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    problems: dict[str, str] = {}
    with requests.Session() as session:
        session.trust_env = False
        for operation in arena.operations:

            @usual
            @given(case=operation.as_strategy(mode), is_known=st.sampled_from([True, True, True, False]))
            def ask(case: Case[Any], is_known: bool) -> None:
                for part in case.path_parameters or {}:
                    if is_known and part in arena.known:
                        case.path_parameters[part] = arena.known[part]
                case.call_and_validate(session=session, headers=headers, checks=CHECKS, timeout=120)

            try:
                ask()
            except Unsatisfiable:
                assert mode is GenerationMode.NEGATIVE  # what takes nothing cannot be asked wrongly
            except (Exception, FailureGroup) as error:
                problems[operation.label] = str(error)
    assert len(arena.operations) > 20
    assert not problems, "\n\n".join(f"{label}\n{words}" for label, words in problems.items())
