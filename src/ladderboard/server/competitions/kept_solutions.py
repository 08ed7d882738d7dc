"""Solutions that the store keeps: the one that counts is read from there by every process, whatever its folder has."""

from datetime import datetime

from ladderboard.competition import Competition, pack_solution, rules_from_json, solution_digest, unpack_solution
from ladderboard.core.errors import DamagedFileError
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.records import CompetitionRecord
from ladderboard.server.db.database import Connection
from ladderboard.server.db.files import Files


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
