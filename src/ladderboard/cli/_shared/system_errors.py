"""Faults that are nobody's bug: a database that does not answer, a full disk, a place where one may not write."""

import errno
import sys

from ladderboard.core.errors import LadderboardError, ParameterError, UnavailableError

_OUT_OF_SPACE = (errno.ENOSPC, errno.EDQUOT)


def explain_system_error(error: Exception) -> LadderboardError | None:
    """What is said of it in a sentence; None where only a traceback helps.

    >>> str(explain_system_error(PermissionError(errno.EACCES, "Permission denied", "/data/x")))
    "'/data/x' cannot be used (Permission denied); see that it exists and may be read and written"
    """
    if isinstance(error, OSError) and error.errno in _OUT_OF_SPACE:
        return UnavailableError(f"nothing can be written ({error.strerror}); make room, then try again")
    if isinstance(error, OSError) and error.filename is not None:
        return ParameterError(
            f"{str(error.filename)!r} cannot be used ({error.strerror}); see that it exists and may be read and written"
        )
    if _is_of_the_database(error):
        why = next(iter(str(getattr(error, "orig", None) or error).splitlines()), "")
        return UnavailableError(
            f"the database cannot be used now ({why}); see that it runs, that --data or --database names it "
            "and that its disk has room, then try again"
        )
    return None


def _is_of_the_database(error: Exception) -> bool:
    faults = sys.modules.get("sqlalchemy.exc")  # where it was never imported, the error is none of its
    return faults is not None and isinstance(
        error, faults.OperationalError | faults.InterfaceError | faults.TimeoutError
    )
