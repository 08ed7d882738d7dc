"""A competition with teams, people, files and a history, written straight into the tables of a server's database.

Everything is as the server would have written it but for the mechanism's decisions: files that can be scored, numbers
that they have on the public rows, sealed entries of the ledger, and flags.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Table, insert, select, update

from ladderboard.core.ledger import Entry, seal
from ladderboard.core.records import Release, State
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.columns import new_id
from ladderboard.server.db.database import Database
from ladderboard.server.db.files import digest_of
from ladderboard.server.db.schema import (
    accounts,
    competitions,
    files,
    flags,
    instances,
    ledger,
    members,
    submissions,
    teams,
)

ROWS_AT_ONCE = 2_000
SALT = "5a17"
WEEK = timedelta(days=6.9)

Rows = dict[Table, list[dict[str, Any]]]


@dataclass(frozen=True)
class Sent:
    """A file that a team sent: the number of the submission, its team, when it came, and what is in it."""

    number: int
    team: int
    attempt: int
    at: datetime
    predictions: npt.NDArray[Any]
    content: bytes


def fill(database: Database, live: LiveCompetition, *, count: int, each: int, flagged: int) -> None:
    """Let ``count`` teams of one person send ``each`` files within the last week, the first of which was accepted.

    ``flagged``: how many of them have a flag.
    """
    now = datetime.now(UTC)
    firsts = [new_id(now) for _ in range(count)]
    with database.transaction() as connection:
        chain = connection.execute(select(competitions).where(competitions.c.slug == live.slug)).one()
        head, length = chain.ledger_head, chain.ledger_length
        rows: Rows = {table: [] for table in (accounts, teams, members, files, submissions, instances, flags, ledger)}
        for sent in _send(live, count, each, now):
            name = firsts[sent.team] if sent.attempt == 1 else new_id(sent.at)
            submission = _submission(live, sent, name, _public_score(live, sent.predictions))
            if sent.attempt == 1:
                _add_team(rows, live, sent, submission, attempts=each)
            rows[files].append(_file(sent, submission))
            rows[submissions].append(submission)
            if sent.attempt == each and sent.team < flagged:
                rows[flags].append(_flag(live, submission, firsts[sent.team]))
            length += 1
            entry = _entry(rows, live, submission, head=head, seq=length)
            head = entry.hash
            if len(rows[submissions]) == ROWS_AT_ONCE:
                _write(connection, rows)
        _write(connection, rows)
        counters = {"ledger_head": head, "ledger_length": length, "last_number": count * each}
        connection.execute(update(competitions).where(competitions.c.slug == live.slug).values(counters))


def _send(live: LiveCompetition, count: int, each: int, now: datetime) -> Iterator[Sent]:
    """Files one after the other, of all teams in turn; only the guesses are written anew."""
    rng = np.random.default_rng(count)
    labels = live.competition.solution.labels
    lines = [b"id,label\n", *(b"%d,0\n" % row for row in live.competition.solution.ids)]
    content = np.frombuffer(bytearray(b"".join(lines)), np.uint8)
    guesses = np.cumsum([len(line) for line in lines])[1:] - 2
    skills = rng.uniform(0.6, 0.8, count)
    total = count * each
    for place in range(total):
        attempt, team = divmod(place, count)
        predictions = np.where(rng.random(len(labels)) < skills[team], labels, 1 - labels)
        content[guesses] = ord("0") + predictions
        at = now - WEEK * (1 - place / total)
        yield Sent(place + 1, team, attempt + 1, at, predictions, content.tobytes())


def _public_score(live: LiveCompetition, predictions: npt.NDArray[Any]) -> float:
    rows = live.competition.solution.rows("Public")
    return round(float(np.mean(predictions[rows] != live.competition.solution.labels[rows])), 3)


def _add_team(rows: Rows, live: LiveCompetition, sent: Sent, submission: dict[str, Any], *, attempts: int) -> None:
    team, at, value = submission["team_id"], sent.at, submission["board_value"]
    name = f"Team {team}"
    person = {"id": submission["account_id"], "name": f"person of {team}", "name_key": f"person of {team}"}
    rows[accounts].append(person | {"password_hash": "", "role": "participant", "created_at": at})
    shown = {"board_value": value, "board_order": live.yardstick.loss(value), "last_improvement": sent.number}
    times = {"created_at": at, "last_improved_at": at, "last_submitted_at": at}
    row = {"id": team, "competition": live.slug, "name": name, "name_key": name.lower(), "salt": SALT}
    rows[teams].append(row | shown | times | {"attempts": attempts, "accepts": 1})
    rows[members].append(
        {"competition": live.slug, "account_id": person["id"], "team_id": team, "joined_at": at, "left_at": None}
    )
    start = live.memory(team, None)
    assert isinstance(start, State)
    state = replace(start, attempts=attempts, accepts=1, released=value, incumbent=submission["id"])
    memory = {"competition": live.slug, "key": team, "state": state.to_json(), "state_version": attempts}
    rows[instances].append(memory | {"bits": 3.0 + sent.team % 7})


def _file(sent: Sent, submission: dict[str, Any]) -> dict[str, Any]:
    size = len(sent.content)
    return {"digest": submission["file_digest"], "size": size, "content": sent.content, "stored_at": sent.at}


def _submission(live: LiveCompetition, sent: Sent, name: str, value: float) -> dict[str, Any]:
    accepted = sent.attempt == 1
    return {
        "id": name,
        "competition": live.slug,
        "team_id": f"{live.slug}-{sent.team:06}",
        "account_id": f"person-{live.slug}-{sent.team:06}",
        "number": sent.number,
        "attempt": sent.attempt,
        "noise_epoch": 0,
        "phase": "live",
        "received_at": sent.at,
        "scored_at": sent.at,
        "file_digest": digest_of(sent.content),
        "file_name": "predictions.csv",
        "file_size": len(sent.content),
        "fingerprint": digest_of(sent.predictions.tobytes()),
        "sketch": live.sketcher.sketch(sent.predictions).to_bytes(),
        "release": Release(value, value, accepted, accepted, sent.attempt, None).to_dict(),
        "scoring_version": 1,
        "accepted": accepted,
        "improved": accepted,
        "board_value": value,
    }


def _flag(live: LiveCompetition, submission: dict[str, Any], other: str) -> dict[str, Any]:
    row = {"id": new_id(submission["received_at"]), "competition": live.slug, "team_id": submission["team_id"]}
    about = {"submission_id": submission["id"], "other_submission_id": other}
    return row | about | {"kind": "near_duplicate", "detail": {"rows": 3}, "at": submission["received_at"]}


def _entry(rows: Rows, live: LiveCompetition, submission: dict[str, Any], *, head: str, seq: int) -> Entry:
    at = submission["received_at"]
    body = {"submission": submission["id"], "team": submission["team_id"], "number": submission["number"]}
    body |= {"phase": "live", "received_at": at.isoformat(), "scoring_version": 1}
    opening = {"file": submission["file_digest"], "predictions": submission["fingerprint"], "training_score": None}
    opening |= {"instance": submission["team_id"], "epoch": 0, "release": submission["release"]}
    entry = Entry.following(head, seq=seq, at=at, kind="submission", body=body, sealed=seal(SALT, opening))
    whose = {"competition": live.slug, "team_id": submission["team_id"], "opening": opening}
    rows[ledger].append({**vars(entry), **whose})
    return entry


def _write(connection: Connection, rows: Rows) -> None:
    for table, waiting in rows.items():
        if waiting:
            connection.execute(insert(table), waiting)
            waiting.clear()
