"""The database: tables, transactions and files; the same on SQLite and PostgreSQL.

The promises (each checked on both databases by tests/contracts/test_store.py):

- A submission is recorded with its release, the new state, the quota it used and its ledger entry, or not at all.
- No state is spent twice: whoever finds that a state has moved on since it was read writes nothing and starts over.
- A retried request with the same idempotency key gets the stored answer.
- What was acknowledged is on disk: SQLite runs in WAL mode with ``synchronous=FULL``.
- A ledger is one chain for each competition, without gaps.

SQL is with its feature, in `sql`, as functions that take a connection; `rows` has what several features read or write.
"""
