"""Whatever is uploaded: no fault of ours, nothing charged for what is refused, nothing stored half."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import get_args

import httpx
import numpy as np
import pytest
from sqlalchemy import func, select

from ladderboard.competition import Competition, Limits, Rules, Solution
from ladderboard.core.errors import SubmissionError
from ladderboard.mechanisms import make_mechanism
from ladderboard.metrics import find_metric
from ladderboard.server.db.database import Database
from ladderboard.server.db.migrations import upgrade
from ladderboard.server.db.schema import metadata, submissions, teams
from ladderboard.server.submissions.sql.attempts import MOST_FREE
from ladderboard.tabular import SubmissionFormat, read_predictions
from ladderboard.tabular.problems import Kind
from tests.hosting.competitions import a_competition
from tests.tabular.fuzz import fuzzed_files
from tests.tabular.test_bad_files import CASES, OF_THE_READER
from tests.web.servers import Server, a_host, serving

Counts = dict[str, int]


@contextmanager
def a_server(folder: Path, *competitions: Competition) -> Iterator[Server]:
    database = Database(f"sqlite:///{folder / 'server.db'}")
    upgrade(database)
    try:
        with serving(a_host(database, folder, *competitions, uploads_per_minute=10**6)) as running:
            yield running
    finally:
        database.close()


def counts_of(server: Server) -> Counts:
    """How many rows every table has, and how many attempts are charged. Counts of tries are no trace of a file."""
    with server.services.database.reading() as connection:
        found = {
            table.name: int(connection.scalar(select(func.count()).select_from(table)) or 0)
            for table in metadata.sorted_tables
            if table.name != "throttles"
        }
        return found | {"charged": int(connection.scalar(select(func.sum(teams.c.attempts))) or 0)}


def files_in(folder: Path) -> set[str]:
    """The names of all submitted files, whole or not."""
    return {path.name for path in (folder / "files").rglob("*") if path.is_file()}


def in_a_team(server: Server, *slugs: str) -> httpx.Client:
    ada = server.sign_up("ada")
    for slug in slugs:
        assert ada.post(f"/api/v1/competitions/{slug}/teams", json={"name": "Night Shift"}).status_code == 201
    return ada


def send(client: httpx.Client, slug: str, content: bytes, **headers: str) -> httpx.Response:
    files = {"file": ("mine.csv", content)}
    return client.post(f"/api/v1/competitions/{slug}/submissions", files=files, headers=headers)


# -- files that are damaged -------------------------------------------------------------------------------------------


def flood(folder: Path, *, seed: int, count: int) -> None:
    """Upload damaged files and hold the answers against the validator, and the store against the answers."""
    competition = a_competition(rows=30, metric="rmse")
    with a_server(folder, competition) as server:
        ada, before = in_a_team(server, "pets"), counts_of(server)
        statuses: Counter[int] = Counter()
        distinct: set[bytes] = set()
        for number, content in enumerate(fuzzed_files(seed, count, competition.format)):
            answer = send(ada, "pets", content, **{"Idempotency-Key": f"{number}"})
            statuses[answer.status_code] += 1
            predictions = _read(content, competition.format)
            if predictions is None:
                assert answer.status_code == 422, (number, answer.text)
                assert answer.json()["error"]["details"]["problems"], number
            else:
                assert answer.status_code == (200 if predictions in distinct else 201), (number, answer.text)
                distinct.add(predictions)
        after = counts_of(server)
        assert statuses[422] > count / 2
        assert 0 < statuses[201] == len(distinct)
        changed = {name: after[name] - before[name] for name in after if after[name] != before[name]}
        assert changed.pop("instances") == 1
        for name in ("sketch_bands", "flags"):  # what an organiser may want to look at, of scored submissions only
            changed.pop(name, None)
        # A key is kept for what was scored, and for the newest answers to what was scored before, which cost nothing.
        assert changed.pop("idempotency") == len(distinct) + min(statuses[200], MOST_FREE)
        assert changed == dict.fromkeys(["submissions", "files", "ledger", "charged"], len(distinct))
        assert not files_in(folder)  # files so small are kept in the database


def _read(content: bytes, format: SubmissionFormat) -> bytes | None:  # noqa: A002
    try:
        # −0 and 0 are the same prediction.
        return (read_predictions(content, format, name="mine.csv").values + 0.0).tobytes()
    except SubmissionError:
        return None


def test_hundreds_of_damaged_files_leave_no_trace_but_those_that_are_valid(tmp_path: Path) -> None:
    flood(tmp_path, seed=11, count=300)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
def test_ten_thousand_damaged_files_leave_no_trace_but_those_that_are_valid(tmp_path: Path, seed: int) -> None:
    flood(tmp_path, seed=100 + seed, count=2500)


# -- every kind of bad file -------------------------------------------------------------------------------------------

METRIC_FOR = {"numbers": "rmse", "scores": "auc", "classes": "accuracy", "probabilities": "log_loss"}


def competition_for(slug: str, shape: SubmissionFormat) -> Competition:
    """A competition that takes submissions of this format."""
    rows = len(shape.ids)
    numbers = np.arange(rows)
    labels = np.array(shape.classes)[numbers % len(shape.classes)] if shape.classes else numbers.astype(float)
    metric = "rmsle" if shape.smallest == 0 else METRIC_FOR[shape.takes]
    return Competition(
        rules=Rules(slug, slug, metric, "witness_ladder", limits=Limits(per_day=None)),
        solution=Solution(shape.ids, labels, np.full(rows, "Public"), id_column="id", label_columns=("label",)),
        metric=find_metric(metric),
        mechanism=make_mechanism("witness_ladder"),
        format=shape,
    )


def test_every_kind_of_bad_file_is_refused_with_its_problems_and_their_lines(tmp_path: Path) -> None:
    cases = [case for case in CASES if len(case.format.ids) > 1]  # nobody can compete on one row
    assert {case.kind for case in cases} | OF_THE_READER == set(get_args(Kind))
    shapes = {id(case.format): case.format for case in cases}
    slugs = {key: f"format-{number}" for number, key in enumerate(shapes)}
    live = [competition_for(slugs[key], shape) for key, shape in shapes.items()]
    with a_server(tmp_path, *live) as server:
        ada, before = in_a_team(server, *slugs.values()), counts_of(server)
        for case in cases:
            answer = send(ada, slugs[id(case.format)], case.data)
            error = answer.json()["error"]
            assert (answer.status_code, error["code"]) == (422, "bad_submission"), case.what
            found = [one for one in error["details"]["problems"] if one["kind"] == case.kind]
            assert [one["line"] for one in found][:1] == [case.line], case.what
            assert case.words in found[0]["message"], case.what
        assert counts_of(server) == before
        assert not files_in(tmp_path)


# -- forms that are damaged -------------------------------------------------------------------------------------------

BOUNDARY = b"lb"
FORM = (
    b'--lb\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n'
    b'--lb\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'
    b"id,label\n1,2\n\r\n--lb--\r\n"
)
PIECES = (
    b"--lb",
    b"--lb--",
    b"\r\n",
    b"\r\n\r\n",
    b"\x00",
    b"\xff\xfe",
    b'"',
    b";",
    b":",
    b"file",
    b"=",
    b"name*=x''%ff",
)
TYPES = (
    "multipart/form-data; boundary=lb",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "multipart/form-data; boundary=" + 300 * "b",
    'multipart/form-data; boundary="lb',
    "multipart/mixed; boundary=lb",
    "text/csv",
    "",
)


def damaged_form(chance: random.Random) -> bytes:
    form = bytearray(FORM)
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(form) + 1)
        end = at + chance.choice((0, 0, 1, 5, 40))
        form[at:end] = chance.choice((b"", chance.choice(PIECES), chance.randbytes(3)))
    return bytes(form[: chance.choice((len(form), chance.randrange(len(form) + 1)))])


def test_a_damaged_form_is_refused_and_leaves_no_trace(tmp_path: Path) -> None:
    chance = random.Random(5)
    with a_server(tmp_path, a_competition(rows=30, metric="rmse")) as server:
        ada, before = in_a_team(server, "pets"), counts_of(server)
        codes: Counter[str] = Counter()
        for number in range(400):
            kind = TYPES[0] if chance.random() < 0.8 else chance.choice(TYPES)
            answer = ada.post(
                "/api/v1/competitions/pets/submissions",
                content=damaged_form(chance),
                headers={"Content-Type": kind, "Idempotency-Key": f"{number}"},
            )
            assert answer.status_code in (400, 422), (number, answer.status_code, answer.text)
            codes[answer.json()["error"]["code"]] += 1
        assert codes["bad_upload"] > 100  # the form
        assert codes["bad_submission"] > 20  # the form was whole, the file was not
        assert counts_of(server) == before
        assert not files_in(tmp_path)


def test_an_upload_that_is_too_large_is_refused_before_it_is_read_whole(tmp_path: Path) -> None:
    competition = a_competition(rows=30)
    small = replace(competition, rules=replace(competition.rules, limits=Limits(max_file_bytes=1000)))
    with a_server(tmp_path, small) as server:
        ada, before = in_a_team(server, "pets"), counts_of(server)
        answer = send(ada, "pets", b"id,label\n" + b"1,1\n" * 2_000_000)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
        assert counts_of(server) == before


def test_a_note_with_a_nul_character_is_refused_before_anything_is_scored(tmp_path: Path) -> None:
    """PostgreSQL could not keep it."""
    with a_server(tmp_path, a_competition(rows=30, metric="rmse")) as server:
        ada, before = in_a_team(server, "pets"), counts_of(server)
        rows = "".join(f"{row},{row}\n" for row in range(1, 31))
        answer = ada.post(
            "/api/v1/competitions/pets/submissions",
            files={"file": ("mine.csv", f"id,label\n{rows}".encode())},
            data={"note": "a\x00b"},
        )
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_upload")
        assert counts_of(server) == before


def test_submissions_are_charged_where_they_are_valid(tmp_path: Path) -> None:
    """The counts above can change: a valid file moves every one of them."""
    competition = a_competition(rows=30, metric="rmse")
    with a_server(tmp_path, competition) as server:
        ada, before = in_a_team(server, "pets"), counts_of(server)
        rows = "".join(f"{row},{row}\n" for row in range(1, 31))
        assert send(ada, "pets", f"id,label\n{rows}".encode(), **{"Idempotency-Key": "1"}).status_code == 201
        after = counts_of(server)
        assert {name for name in after if after[name] != before[name]} == {
            "submissions", "files", "ledger", "idempotency", "charged", "instances", "sketch_bands",
        }  # fmt: skip
        with server.services.database.reading() as connection:
            assert connection.scalar(select(submissions.c.file_name)) == "mine.csv"
        assert not files_in(tmp_path)  # one so small is kept in the database
