"""The tables of a loop, beside those of its guard in one file: the split, and every proposal with its answers."""

import json
from dataclasses import dataclass

from ladderboard.guard.file import GuardFile, GuardTransaction

TABLES = (
    """CREATE TABLE IF NOT EXISTS loop (  -- one row: the open tasks, the proposal to go on from, the certified one
        only INTEGER PRIMARY KEY DEFAULT 1 CHECK (only = 1),
        open TEXT NOT NULL,
        kept INTEGER,
        certified INTEGER,
        grader_changes REAL  -- the share of the reference's outputs that graded again had another score
    )""",
    """CREATE TABLE IF NOT EXISTS proposals (
        number INTEGER PRIMARY KEY,
        candidate TEXT NOT NULL UNIQUE,  -- a hash of what makes it the same: of all outputs given, of a command
        outputs TEXT NOT NULL,           -- a hash of its outputs of the open tasks
        name TEXT NOT NULL,
        proposed_at TEXT NOT NULL,  -- in UTC
        scores TEXT NOT NULL,       -- of the open tasks, the mean of each one's runs
        open_score REAL NOT NULL,
        decision TEXT NOT NULL,
        gain REAL,                  -- on the open tasks, over what was kept before, and its standard error
        gain_error REAL,
        lead REAL,                  -- over the last certified one
        lead_error REAL,
        is_asked INTEGER NOT NULL,  -- whether the open tasks were convinced
        guarded TEXT,               -- scores of the guarded tasks: written down before the guard is asked
        certified INTEGER,          -- the guard's answer; NULL: none yet
        board_value REAL
    )""",
    """CREATE TABLE IF NOT EXISTS faults (  -- of the grader on guarded tasks: for its owner alone
        proposal INTEGER NOT NULL,
        report TEXT NOT NULL
    )""",
)
COLUMNS = (
    "number, candidate, outputs, name, proposed_at, scores, open_score, decision, gain, gain_error, lead, lead_error, "
    "is_asked, guarded, certified, board_value"
)


@dataclass(frozen=True)
class ProposalRow:
    """A proposal as it stands in the file."""

    number: int
    candidate: str
    outputs: str
    name: str
    proposed_at: str
    scores: str
    open_score: float
    decision: str
    gain: float | None
    gain_error: float | None
    lead: float | None
    lead_error: float | None
    is_asked: int
    guarded: str | None = None
    certified: int | None = None
    board_value: float | None = None


def create_tables(file: GuardFile, opened: tuple[str, ...]) -> None:
    """Make the tables where they are missing; the split is that of whoever came first."""
    with file.use() as connection:
        for statement in TABLES:
            connection.execute(statement)
        connection.execute("INSERT OR IGNORE INTO loop (only, open) VALUES (1, ?)", (json.dumps(opened),))


def read_open(file: GuardFile) -> list[str]:
    """The ids of the open tasks."""
    with file.transact() as transaction:
        found = transaction.find_row("SELECT open FROM loop")
    assert found is not None
    opened: list[str] = json.loads(found[0])
    return opened


def read_grader_changes(file: GuardFile) -> float | None:
    """The share of the reference's outputs that had another score when they were graded again; None before it."""
    with file.transact() as transaction:
        found = transaction.find_row("SELECT grader_changes FROM loop")
    return None if found is None else found[0]


def find_proposal(transaction: GuardTransaction, where: str, value: object) -> ProposalRow | None:
    """Find the last proposal whose column ``where`` has this value."""
    query = f"SELECT {COLUMNS} FROM proposals WHERE {where} = ? ORDER BY number DESC"  # noqa: S608 (our own names)
    row = transaction.find_row(query, (value,))
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


def rename_candidate(file: GuardFile, number: int, candidate: str) -> None:
    """Write down what makes a candidate the same, where more of it is known than before."""
    with file.transact() as transaction:
        transaction.write("UPDATE proposals SET candidate = ? WHERE number = ?", (candidate, number))


def write_fault(file: GuardFile, number: int, report: str) -> None:
    """Keep what went wrong with the grader on the guarded tasks."""
    with file.transact() as transaction:
        transaction.write("INSERT INTO faults VALUES (?, ?)", (number, report))


def list_faults(file: GuardFile) -> list[tuple[int, str]]:
    """The faults of the grader on the guarded tasks: the proposal's number and the report."""
    with file.transact() as transaction:
        return [(number, report) for number, report in transaction.find_rows("SELECT proposal, report FROM faults")]
