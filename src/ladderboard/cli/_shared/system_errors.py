"""System errors in plain words: an unreachable database, a full disk, missing permissions, a missing package."""

import errno

from ladderboard.cli._shared.missing_extras import explain_missing
from ladderboard.core.errors import LadderboardError, ParameterError, UnavailableError

_OUT_OF_SPACE = (errno.ENOSPC, errno.EDQUOT)


def explain_system_error(error: Exception) -> LadderboardError | None:
    """Turn a system error into one sentence; None where only a traceback helps.

    >>> str(explain_system_error(PermissionError(errno.EACCES, "Permission denied", "/data/x")))
    "cannot use '/data/x' (Permission denied); check that it exists and that you may read and write it"
    """
    if isinstance(error, OSError) and error.errno in _OUT_OF_SPACE:
        return UnavailableError(f"cannot write ({error.strerror}); free some space and try again")
    if isinstance(error, OSError) and error.filename is not None:
        return ParameterError(
            f"cannot use {str(error.filename)!r} ({error.strerror}); "
            "check that it exists and that you may read and write it"
        )
    if isinstance(error, ModuleNotFoundError):
        missing = explain_missing(error)
        return None if missing is None else ParameterError(missing)
    if isinstance(error, UnavailableError) and error.__cause__ is not None:
        import sqlite3  # which no help page needs

        # From the store, which keeps what the database's driver said as the cause.
        cause = getattr(error.__cause__, "orig", None) or error.__cause__
        why = next(iter(str(cause).splitlines()), "")
        # SQLite is a file and nothing that runs; it is written beside even where it is only read.
        is_file = isinstance(cause, sqlite3.Error)
        check = "you may write to its file and folder" if is_file else "it is running, that --database names it"
        return UnavailableError(
            f"cannot use the database ({why}); check that {check} and that its disk is not full, then try again"
        )
    return None
