"""The tables of a guard's file, and the conversion of values to rows."""

import io
import json
import sqlite3
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ladderboard.core.records import Leakage, Release
from ladderboard.metrics.inputs import Array

FORMAT = 5
"""Raised when the tables change; a file of a higher format is refused."""
APPLICATION_ID = int.from_bytes(b"LADD", "big")
"""Tells a guard's file from any other SQLite database (``PRAGMA application_id``)."""

CLIENTS = """CREATE TABLE clients (  -- who may ask a service; tokens as hashes, each shown once
        name TEXT PRIMARY KEY,
        token_hash TEXT NOT NULL UNIQUE,
        added_at TEXT NOT NULL,
        is_revoked INTEGER NOT NULL DEFAULT 0,
        attempts INTEGER NOT NULL DEFAULT 0,
        accepts INTEGER NOT NULL DEFAULT 0
    )"""
REFERENCE_TABLES = (
    """CREATE TABLE reference (       -- at most one row: the pinned predictions
        only INTEGER PRIMARY KEY DEFAULT 1 CHECK (only = 1),
        submission BLOB NOT NULL,
        attempt INTEGER,
        encoding TEXT NOT NULL,
        predictions BLOB NOT NULL
    )""",
    """CREATE TABLE answers (         -- every answer to "not worse than the reference?"
        question INTEGER PRIMARY KEY,
        submission BLOB NOT NULL,
        reference BLOB NOT NULL,
        margin REAL NOT NULL,
        not_worse INTEGER NOT NULL,
        UNIQUE (submission, reference, margin)
    )""",
)
GRADER_TABLES = (
    """CREATE TABLE grader (          -- at most one row: the hashes of the grader and the tasks that the guard has
        only INTEGER PRIMARY KEY DEFAULT 1 CHECK (only = 1),
        grader TEXT NOT NULL,
        tasks TEXT NOT NULL
    )""",
    """CREATE TABLE graded (          -- the scores of outputs by their keyed hash: the same ones are graded once
        outputs BLOB PRIMARY KEY,
        scores TEXT NOT NULL
    )""",
)

SCHEMA = (
    *REFERENCE_TABLES,
    *GRADER_TABLES,
    """CREATE TABLE guard (           -- one row: what the guard was made with; only the note may change
        only INTEGER PRIMARY KEY DEFAULT 1 CHECK (only = 1),
        metric TEXT NOT NULL,
        metric_parameters TEXT NOT NULL,
        lower_is_better INTEGER NOT NULL,
        mechanism TEXT NOT NULL,
        mechanism_parameters TEXT NOT NULL,
        items INTEGER NOT NULL,
        salt BLOB NOT NULL,
        labels_hash BLOB NOT NULL,
        secret BLOB NOT NULL,
        note TEXT NOT NULL DEFAULT '',
        ids_hash BLOB,             -- of the items' ids; NULL: they have none
        item_list BLOB,            -- graded items: their ids and groups, which are no secret
        positive TEXT,             -- as JSON, the positive class of two; NULL: there is none, or not written down yet
        public_facts TEXT                 -- public facts from which the gain follows that the guard would recognise
    )""",
    """CREATE TABLE progress (        -- one row, replaced by every attempt
        only INTEGER PRIMARY KEY CHECK (only = 1),
        state TEXT NOT NULL,
        leakage TEXT NOT NULL
    )""",
    """CREATE TABLE releases (        -- all that was ever told
        attempt INTEGER PRIMARY KEY,
        submission BLOB NOT NULL UNIQUE,
        value REAL,
        board_value REAL,
        accepted INTEGER NOT NULL,
        improved INTEGER NOT NULL,
        low REAL,
        high REAL,
        standard_error REAL,
        client TEXT                -- who asked, through a service; NULL: whoever holds the labels
    )""",
    """CREATE TABLE incumbent (       -- the predictions to beat, and those of the last proven entry
        submission BLOB PRIMARY KEY,
        encoding TEXT NOT NULL,
        predictions BLOB NOT NULL
    )""",
    CLIENTS,
)

RELEASE_COLUMNS = "attempt, value, board_value, accepted, improved, low, high, standard_error"

UPGRADES = {
    # The first version's intervals came from the baseline's standard error and did not cover.
    1: (
        "ALTER TABLE releases ADD COLUMN standard_error REAL",
        "UPDATE releases SET low = NULL, high = NULL",
    ),
    2: (
        "ALTER TABLE releases ADD COLUMN client TEXT",
        CLIENTS,
        "ALTER TABLE guard ADD COLUMN ids_hash BLOB",
        "ALTER TABLE guard ADD COLUMN item_list BLOB",
        "ALTER TABLE guard ADD COLUMN public_facts TEXT",
        *REFERENCE_TABLES,
    ),
    # Earlier versions took the greater of two labels for the positive class, and wrote it down nowhere.
    3: ("ALTER TABLE guard ADD COLUMN positive TEXT",),
    4: GRADER_TABLES,
}
"""Format → the statements that bring a file of it to the next one."""


@dataclass(frozen=True)
class GuardSettings:
    """The settings of a guard. Parameters are JSON; labels are stored only as a salted slow hash."""

    metric: str
    metric_parameters: str
    lower_is_better: bool
    mechanism: str
    mechanism_parameters: str
    items: int
    salt: bytes
    labels_hash: bytes
    secret: bytes
    note: str = ""
    """Free text of whoever keeps the file; the command line keeps the names of columns here."""
    ids_hash: bytes | None = None
    """A keyed hash of the items' ids; None where they have none."""
    item_list: bytes | None = None
    """Graded items: an `ItemList`."""
    public_facts: str | None = None
    """A `Yardstick` as JSON; None in a file of an earlier format that was not opened with its labels since."""
    positive: str | None = None
    """The positive class of two as JSON; None where there is none, and in such a file."""


def release_to_row(release: Release) -> tuple[Any, ...]:
    """Convert a release to a row in the order of `RELEASE_COLUMNS`."""
    low, high = release.interval or (None, None)
    accepted, improved = bool(release.accepted), bool(release.improved)
    return release.attempt, release.value, release.board_value, accepted, improved, low, high, release.standard_error


def release_from_row(row: tuple[Any, ...]) -> Release:
    """The inverse of `release_to_row`."""
    attempt, value, board_value, accepted, improved, low, high, standard_error = row
    interval = None if low is None else (low, high)
    return Release(value, board_value, bool(accepted), bool(improved), attempt, interval, standard_error)


def leakage_to_json(leakage: Leakage) -> str:
    """Convert the information released to JSON for the progress row."""
    return json.dumps(vars(leakage))


def leakage_from_json(text: str) -> Leakage:
    """The inverse of `leakage_to_json`."""
    return Leakage(**json.loads(text))


def parameters_to_json(parameters: dict[str, Any]) -> str:
    """Convert parameters to canonical JSON, so that equal ones have equal text."""
    return json.dumps(parameters, sort_keys=True)


def pack(predictions: Array) -> tuple[str, sqlite3.Binary]:
    """Encode predictions as (encoding, bytes): texts as JSON, all else in NumPy's format.

    Class codes and texts shrink to a fraction at little cost and are compressed; the digits of real numbers do not.
    """
    if predictions.dtype.kind == "O":
        texts = json.dumps(predictions.tolist()).encode()
        return "json+zlib", sqlite3.Binary(zlib.compress(texts, level=1))
    buffer = io.BytesIO()
    np.save(buffer, predictions, allow_pickle=False)
    if predictions.dtype.kind in "iu":
        return "npy+zlib", sqlite3.Binary(zlib.compress(buffer.getbuffer(), level=1))
    return "npy", sqlite3.Binary(buffer.getbuffer())


def unpack(encoding: str, content: bytes) -> Array:
    """The inverse of `pack`."""
    if encoding == "json+zlib":
        return np.array(json.loads(zlib.decompress(content)), dtype=object)
    raw = zlib.decompress(content) if encoding == "npy+zlib" else content
    array: Array = np.load(io.BytesIO(raw), allow_pickle=False)
    return array
