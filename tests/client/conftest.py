"""A real server for the client: SQLite, one small competition."""

from tests.web.conftest import server

__all__ = ["server"]
