"""The tables of a loop, beside those of its guard in one file: the split, and every proposal with its answers."""

import json
from dataclasses import dataclass

from ladderboard.guard.file import GuardFile, GuardTransaction

TABLES = (
    """CREATE TABLE IF NOT EXISTS loop (  -- one row: the open tasks, the proposal to go on from, the certified one
        only INTEGER PRIMARY KEY DEFAULT 1 CHECK (only = 1),
        open TEXT NOT NULL,
        kept INTEGER,
        certified INTEGER
    )""",
    """CREATE TABLE IF NOT EXISTS proposals (
        number INTEGER PRIMARY KEY,
        candidate TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        scores TEXT NOT NULL,       -- of the open tasks, the mean of each one's runs
        open_score REAL NOT NULL,
        decision TEXT NOT NULL,
        is_asked INTEGER NOT NULL,  -- whether the open tasks were convinced
        guarded TEXT,               -- scores of the guarded tasks: written down before the guard is asked
        certified INTEGER,          -- the guard's answer; NULL: none yet
        board_value REAL
    )""",
)
COLUMNS = "number, candidate, name, scores, open_score, decision, is_asked, guarded, certified, board_value"


@dataclass(frozen=True)
class ProposalRow:
    """A proposal as it stands in the file."""

    number: int
    candidate: str
    name: str
    scores: str
    open_score: float
    decision: str
    is_asked: int
    guarded: str | None = None
    certified: int | None = None
    board_value: float | None = None


def create_tables(file: GuardFile, opened: tuple[str, ...]) -> None:
    """Make the tables where they are missing; the split is that of whoever came first."""
    with file.use() as connection:
        for statement in TABLES:
            connection.execute(statement)
        connection.execute("INSERT OR IGNORE INTO loop VALUES (1, ?, NULL, NULL)", (json.dumps(opened),))


def read_open(file: GuardFile) -> list[str]:
    """The ids of the open tasks."""
    with file.transact() as transaction:
        found = transaction.find_row("SELECT open FROM loop")
    assert found is not None
    opened: list[str] = json.loads(found[0])
    return opened


def find_proposal(transaction: GuardTransaction, where: str, value: object) -> ProposalRow | None:
    """Find the proposal whose column ``where`` has this value."""
    row = transaction.find_row(f"SELECT {COLUMNS} FROM proposals WHERE {where} = ?", (value,))  # noqa: S608 (our own names)
    return None if row is None else ProposalRow(*row)


def find_standing(transaction: GuardTransaction) -> tuple[ProposalRow | None, ProposalRow | None]:
    """Find the proposal to go on from, and the certified one (at first the reference)."""
    found = transaction.find_row("SELECT kept, certified FROM loop")
    assert found is not None
    kept, certified = (None if one is None else find_proposal(transaction, "number", one) for one in found)
    return kept, certified


def list_proposals(file: GuardFile) -> list[ProposalRow]:
    """All proposals in their order."""
    with file.transact() as transaction:
        return [ProposalRow(*row) for row in transaction.find_rows(f"SELECT {COLUMNS} FROM proposals ORDER BY number")]  # noqa: S608


def insert_proposal(transaction: GuardTransaction, row: ProposalRow) -> None:
    """Write a new proposal down, and go on from it if it is kept."""
    marks = ", ".join("?" for _ in vars(row))
    transaction.write(f"INSERT INTO proposals ({COLUMNS}) VALUES ({marks})", tuple(vars(row).values()))  # noqa: S608
    if row.decision == "kept":
        transaction.write("UPDATE loop SET kept = ?", (row.number,))
