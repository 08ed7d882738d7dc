"""A competition on a database, many who submit to it at once, and what must be true of the tables afterwards."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select

from ladderboard.competition import Limits
from ladderboard.core.errors import QuotaExceededError
from ladderboard.core.ledger import GENESIS, Entry
from ladderboard.core.records import Evaluation
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.opening import enter
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import competitions, instances, ledger, metadata, submissions, teams
from ladderboard.server.services import files_for
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.memories import Memory, judge
from ladderboard.server.submissions.records import Answer, IncomingSubmission, StoredAnswers
from ladderboard.server.submissions.referee import Referee
from tests.hosting.competitions import NOON, SECRET, a_competition, a_file, predictions

QUOTA = 20


class Served:
    """A competition with a noisy mechanism, as one server process sees it; every object is another such process."""

    def __init__(self, database: Database, folder: Path, *, total: int | None = None, **settings: Any) -> None:
        self.database = database
        chosen: dict[str, Any] = {"mechanism": "shaky_ladder", "metric": "error_rate", "rows": 200} | settings
        self.competition = a_competition(limits=Limits(per_day=None, total=total), **chosen)
        self.live = enter(database, files_for(Settings(data=folder), database), self.competition, secret=SECRET)
        self.referee = Referee(database)

    def add_teams(self, *names: str) -> None:
        with self.database.transaction() as connection:
            for name in names:
                row = {"id": name, "name": name, "name_key": name, "competition": self.live.slug, "salt": "5a17"}
                connection.execute(insert(teams).values(row | {"created_at": NOON}))

    def send(self, team: str, seed: int, **more: Any) -> Answer:
        """Submit the predictions number ``seed``: no two of them are equal, most are better than the ones before."""
        values = predictions(self.competition, min(0.95, 0.5 + seed / 150), seed=seed)
        return self.referee.submit(self.live, IncomingSubmission(team, a_file(self.competition, values), NOON, **more))

    def check(self, *, acknowledged: Sequence[dict[str, Any]]) -> None:
        check(self.database, self.live, acknowledged=acknowledged)

    def send_all(self, team: str, seeds: Sequence[int]) -> list[dict[str, Any]]:
        """The answers to those that were not over quota."""
        answers = []
        for seed in seeds:
            try:
                answers.append(self.send(team, seed).content)
            except QuotaExceededError:
                continue
        return answers


def everything(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    with database.reading() as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
            for table in metadata.sorted_tables
        }


def check(database: Database, live: LiveCompetition, *, acknowledged: Sequence[dict[str, Any]]) -> None:
    """The promises: what was answered is stored once and as it was answered; states, numbers and the ledger agree."""
    with database.reading() as connection:
        stored = connection.execute(select(submissions).order_by(submissions.c.number)).all()
        memory = {row.key: row for row in connection.execute(select(instances))}
        team_rows = {row.id: row for row in connection.execute(select(teams))}
        competition = connection.execute(select(competitions)).one()
        entries = connection.execute(select(ledger).order_by(ledger.c.seq)).all()

    assert [row.number for row in stored] == list(range(1, len(stored) + 1))
    assert competition.last_number == len(stored)
    releases = {row.id: row.release for row in stored}
    assert {one["id"]: one["release"] for one in acknowledged}.items() <= releases.items()
    for team_id, team in team_rows.items():
        mine = [row for row in stored if row.team_id == team_id]
        assert team.attempts == len(mine)
        assert team.quota_used == sum(row.received_at.date().isoformat() == team.quota_day for row in mine)
        assert team.accepts == sum(row.accepted for row in mine)
    for key, instance in memory.items():
        using = [row for row in stored if live.instance_key(row.team_id, row.phase) == key]
        assert [row.attempt for row in using] == list(range(1, len(using) + 1))
        assert instance.state_version == len(using)
    assert [row.release for row in stored] == replayed(live, stored)
    check_chain(entries, competition)
    told = [entry.body["submission"] for entry in entries if entry.kind == "submission"]
    assert told == [row.id for row in stored]


def check_chain(entries: Sequence[Any], competition: Any) -> None:
    """One chain without gaps, from the beginning to the head that the competition names."""
    assert [entry.seq for entry in entries] == list(range(1, competition.ledger_length + 1))
    head = GENESIS
    for row in entries:
        entry = Entry(row.seq, row.at, row.kind, row.body, row.sealed, row.previous, row.hash)
        assert entry.is_sound(head)
        head = entry.hash
    assert competition.ledger_head == head


def replayed(live: LiveCompetition, stored: Sequence[Any]) -> list[dict[str, Any]]:
    """What one process alone would have released for these submissions in this order."""
    releases: list[dict[str, Any]] = []
    memory: dict[str, Memory] = {}
    evaluations: dict[str, Evaluation] = {}

    def evaluation_of(name: str) -> Evaluation:
        return evaluations[name] if name in evaluations else live.evaluations.of(name, StoredAnswers)

    for row in stored:
        key = live.instance_key(row.team_id, row.phase)
        values = live.evaluations.recall(StoredAnswers(row.file_digest))
        evaluations[row.id] = candidate = live.evaluations.evaluate(row.id, values)
        before = memory.get(key) or live.memory(key, None)
        judged = judge(
            live,
            candidate,
            evaluation_of,
            team_id=row.team_id,
            key=key,
            state_version=0,
            epoch=row.noise_epoch,
            before=before,
        )
        memory[key] = judged.after
        releases.append(json.loads(json.dumps(judged.release.to_dict())))
    return releases


WORKER = """
import json, sys
from pathlib import Path
from ladderboard.server.submissions.records import StoredAnswers
from ladderboard.server.db.database import Database
from tests.contracts.store_cases import Served
url, folder, settings, team, *seeds = sys.argv[1:]
served = Served(Database(url), Path(folder), **json.loads(settings))
print("ready", flush=True)
sys.stdin.read()
print(json.dumps(served.send_all(team, [int(seed) for seed in seeds])))
"""


def race_processes(
    url: str, folder: Path, settings: dict[str, Any], work: Sequence[tuple[str, Sequence[int]]]
) -> list[dict[str, Any]]:
    """Let one process for each (team, seeds) submit, all from the same moment on; all their answers."""
    command = [sys.executable, "-c", WORKER, url, str(folder), json.dumps(settings)]
    running = [
        subprocess.Popen(
            [*command, team, *map(str, seeds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for team, seeds in work
    ]
    for process in running:
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise RuntimeError(process.communicate()[1])
    for process in running:
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None  # all of them begin now, and communicate() has nothing to send
    answers: list[dict[str, Any]] = []
    for process in running:
        output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        answers += json.loads(output)
    return answers
