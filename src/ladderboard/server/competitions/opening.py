"""The entry of a competition that is to be served: first with a secret and a commitment, later with what was kept.

The database keeps the solution that counts; every process reads it from there, whatever its folder has.
"""

import hashlib
import os
import secrets
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.competition import (
    Competition,
    find_changes,
    keep_former_defaults,
    pack_solution,
    rules_from_json,
    rules_to_json,
    solution_digest,
    unpack_solution,
)
from ladderboard.competition.loading import DESCRIPTION
from ladderboard.core.errors import ConflictError, DamagedFileError
from ladderboard.core.ledger import seal
from ladderboard.server.audit.library_versions import find_recorded_versions, read_versions
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.records import CompetitionRecord
from ladderboard.server.competitions.stored_folders import StoredFolders
from ladderboard.server.db.database import Connection, Database
from ladderboard.server.db.files import Files
from ladderboard.server.db.rows import competitions, ledger


def keep_solution(connection: Connection, files: Files, competition: Competition, now: datetime) -> str:
    """Keep the solution, in the caller's transaction; returns the digest of the file for the competition's row."""
    content = pack_solution(competition)
    digest = files.put(content)
    files.record(connection, digest, content, now)
    return digest


def read_kept(files: Files, row: CompetitionRecord, like: Competition | None = None) -> LiveCompetition:
    """Read the competition as its row has it; the folder and its description are those of ``like``.

    Raises `DamagedFileError` where the file is missing or no longer what it was.
    """
    assert row.solution_file is not None, "the caller has looked"
    folder, description = (None, "") if like is None else (like.folder, like.description)
    rules = rules_from_json(row.rules)
    kept = unpack_solution(files.read(row.solution_file), rules=rules, folder=folder, description=description)
    if solution_digest(kept) != row.solution_digest:
        raise DamagedFileError(
            f"{row.slug}: the solution in the database is not the one that was committed to", digest=row.solution_file
        )
    return LiveCompetition(kept, row.secret, files, row.scoring_version)


def read_made(folders: StoredFolders, row: CompetitionRecord) -> LiveCompetition:
    """Read a competition that was made in the browser, with the files that count."""
    assert row.folder is not None, "the caller has looked"
    return show_folder(read_kept(folders.files, row), folders.check_out(row.folder))


def show_folder(live: LiveCompetition, folder: Path) -> LiveCompetition:
    """The same competition with the description, the data and the pictures of another folder."""
    description = (folder / DESCRIPTION).read_text(encoding="utf-8-sig")
    return live.with_competition(replace(live.competition, folder=folder, description=description))


SECRET_BYTES = 32
SALT_BYTES = 16
DESCRIBING = ("created", "description_changed")
"""The kinds of entries that have the hash of the description from there on."""
ENDED = ("deadline", "finals")
FINAL = "the results are final"
CORRECTABLE = frozenset({"metric", "metric options"})
"""The rules that a correction may change, beside the labels."""


def enter(
    database: Database, files: Files, competition: Competition, *, secret: bytes | None = None
) -> LiveCompetition:
    """Take a competition in: first with a fresh secret and a published commitment, later with the solution that counts.

    That is the one the store keeps. A folder with other labels, older ones or a correction that is not published yet,
    changes nothing. With ``secret`` every draw of the competition can be foretold: for experiments that must come out
    the same again. Raises `ConflictError` where the folder has other ids, or another rule that scores depend on.
    """
    with database.transaction() as connection:
        database.go_alone(connection, "enter")  # server processes may start at once
        now = database.now(connection)
        row = competitions.find_competition(connection, competition.slug)
        if row is None:
            _refuse_unanswered(competition)
            row = create(connection, files, competition, secret or os.urandom(SECRET_BYTES), now)
        elif row.folder is not None:
            raise ConflictError(
                f"{competition.slug} was made in the browser and is kept in the database: change it there, or give the "
                "folder a slug of its own"
            )
        else:
            row = competitions.hold(connection, competition.slug)
            competition = keep_former_defaults(competition, rules_from_json(row.rules))
            if row.solution_digest != solution_digest(competition):
                competition = _take_kept(files, row, competition)
            elif row.solution_file is None:  # only an older version has served it
                kept = keep_solution(connection, files, competition, now)
                competitions.change_competition(connection, competition.slug, solution_file=kept)
            adopt_rules(connection, row, competition, now)
            _record_versions(connection, competition.slug, now)
    return LiveCompetition(competition, row.secret, files, row.scoring_version)


def enter_made(database: Database, folders: StoredFolders, slug: str) -> LiveCompetition:
    """Take in a competition that the database keeps whole."""
    with database.transaction() as connection:
        row = competitions.hold(connection, slug)
        _record_versions(connection, slug, database.now(connection))
    return read_made(folders, row)


def find_entered(connection: Connection, slug: str) -> CompetitionRecord:
    """The record of a competition that this database has; raises `NotFoundError` where it has none of that name."""
    return competitions.get(connection, slug)


def _refuse_unanswered(competition: Competition) -> None:
    """Raise where the organiser has to say something first; a competition that runs goes on as it was."""
    if competition.questions:
        told = "".join(f"\n  {question}" for question in competition.questions)
        raise ConflictError(f"{competition.slug} cannot be served yet:{told}")


def commitment_opening(competition: Competition, secret: bytes) -> dict[str, Any]:
    """What the commitment binds: labels, split, metric and mechanism (in the digest), and the secret of every draw."""
    return {"solution": solution_digest(competition), "secret": secret.hex()}


def _take_kept(files: Files, row: CompetitionRecord, found: Competition) -> Competition:
    """The competition with the solution that is kept; refuses a folder that is of another task."""
    if row.solution_file is None:
        refuse_other_solution(row, found)
    changes = find_changes(rules_from_json(row.rules), found.rules, has_opened=False)
    kept = read_kept(files, row, found).competition
    if any(not one.allowed and one.key not in CORRECTABLE for one in changes) or not np.array_equal(
        kept.solution.ids, found.solution.ids
    ):
        refuse_other_solution(row, found)
    return kept


def create(
    connection: Connection,
    files: Files,
    competition: Competition,
    secret: bytes,
    now: datetime,
    *,
    folder: str | None = None,
) -> CompetitionRecord:
    """Add a competition with its commitment, in the caller's transaction; ``folder``: of one made in the browser."""
    salt = secrets.token_hex(SALT_BYTES)
    commitment = seal(salt, commitment_opening(competition, secret))
    rules = rules_to_json(competition.rules)
    competitions.add_competition(
        connection,
        competition.slug,
        now=now,
        rules=rules,
        solution_digest=solution_digest(competition),
        solution_file=keep_solution(connection, files, competition, now),
        folder=folder,
        secret=secret,
        commitment_salt=salt,
        commitment=commitment,
    )
    body = {
        "commitment": commitment,
        "rules": rules,
        "rows": _row_counts(competition),
        "versions": read_versions(),
        "description": _hash(competition.description),
    }
    ledger.append(connection, competition.slug, kind="created", at=now, body=body)
    return competitions.hold(connection, competition.slug)


def _row_counts(competition: Competition) -> dict[str, int]:
    """How many rows there are; how many of them are public is announced, which they are is not."""
    usages: tuple[Any, ...] = ("Public", "Private", "Ignored")
    return {usage: len(competition.solution.rows(usage)) for usage in usages}


def refuse_other_solution(row: CompetitionRecord, competition: Competition) -> None:
    """Raise `ConflictError` where labels, split, metric or mechanism differ from what was committed to."""
    if row.solution_digest != solution_digest(competition):
        found = find_changes(rules_from_json(row.rules), competition.rules, has_opened=False)
        committed = "; ".join(change.sentence for change in found if not change.allowed or change.key == "positive")
        what = committed or "the solution, its split or the metric's file differs from what is being served"
        raise ConflictError(
            f"{competition.slug}: {what}. Put the old one back, publish a correction with `ladderboard rescore`, or "
            "give the new competition a slug of its own"
        )


def adopt_rules(
    connection: Connection,
    row: CompetitionRecord,
    competition: Competition,
    now: datetime,
    *,
    described: str | None = None,
) -> None:
    """Take over changed rules and a changed description, each with an entry in the ledger.

    ``described`` is the description so far, where it is known. The caller's transaction holds the row. Raises
    `ConflictError` with all reasons where a change is not allowed.
    """
    before = rules_from_json(row.rules)
    found = find_changes(before, competition.rules, has_opened=before.opens is None or now >= before.opens)
    refused = [change.sentence for change in found if not change.allowed]
    if row.finalized_at is not None:
        refused += [f"{change.sentence}: {FINAL}" for change in found if change.key in ENDED and change.allowed]
    if refused:
        raise ConflictError(f"{competition.slug}: {'; '.join(refused)}")
    rules = rules_to_json(competition.rules)
    if rules != row.rules:  # also where only a later version spells them otherwise
        competitions.change_competition(connection, competition.slug, rules=rules)
    if found:
        body = {"changes": [change.sentence for change in found], "rules": rules}
        ledger.append(connection, competition.slug, kind="rules_changed", at=now, body=body)
    after = competition.description
    _record_description(connection, competition.slug, after if described is None else described, after, now)


def _record_description(connection: Connection, slug: str, before: str, after: str, now: datetime) -> None:
    """Enter a changed description by its hash, so that nobody can say later that it read otherwise.

    ``before`` counts only where the ledger, begun by an older version, has no hash of it.
    """
    body = ledger.find_last_body(connection, slug, DESCRIBING) or {}
    if body.get("description", _hash(before)) != _hash(after):
        ledger.append(connection, slug, kind="description_changed", at=now, body={"description": _hash(after)})


def _hash(description: str) -> str:
    return hashlib.sha256(description.encode()).hexdigest()


def _record_versions(connection: Connection, slug: str, now: datetime) -> None:
    """A replay is exact under the libraries that were in use: say from which entry on they are others."""
    here = read_versions()
    if find_recorded_versions(connection, slug) != here:
        ledger.append(connection, slug, kind="versions", at=now, body={"versions": here})
