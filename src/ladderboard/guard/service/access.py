"""A user's access to a file, judged by owners and permission bits: for the labels and the guard's file.

It sees what the file system says: not what `sudo`, group passwords or containers allow, nor copies elsewhere. Access
control lists are not read; where there is one, nothing is claimed.
"""

import os
import stat
import sys
import sysconfig
from pathlib import Path

from ladderboard.core.errors import ParameterError


def require_no_access(user: str, *, labels: Path | None, guard: Path) -> None:
    """Refuse to go on where ``user`` could read the labels or the guard's file, or replace either or this program.

    Raises `ParameterError` with the first way in.
    """
    account = _find_account(user)
    if account.uid in (0, os.geteuid()):
        why = "may read everything" if account.uid == 0 else "also runs this service, and may read its memory"
        raise ParameterError(f"{user} {why}; run the service as a user of its own")
    # A link's own directory counts as well as that of the file it leads to.
    given = [one for one in (labels, guard) if one is not None]
    for path in (place for one in given for place in (one.absolute(), one.resolve())):
        way = account.find_way_in(path)
        if way is not None:
            raise ParameterError(f"{user} {way}; keep both files in a directory of mode 700 of the service's user")
    for path in _list_program():
        way = account.find_way_in(path, may_read=True)
        if way is not None:
            raise ParameterError(f"{user} {way}; install Ladderboard for the service's user where {user} cannot write")


def _list_program() -> list[Path]:
    """What runs here and imports from where: whoever can write there is this service."""
    places = {Path(sys.executable), Path(__file__).parents[2], Path(sysconfig.get_path("purelib"))}
    return sorted({form for one in places for form in (one.absolute(), one.resolve())})


class SystemUser:
    """A user by number, with all groups."""

    def __init__(self, uid: int, groups: frozenset[int]) -> None:
        self.uid, self.groups = uid, groups

    def find_way_in(self, path: Path, *, may_read: bool = False) -> str | None:
        """Find how this user could read the file, unless that is fine, or replace it; None if there is no way."""
        for folder in reversed(path.parents):
            facts = folder.stat()
            if facts.st_uid == self.uid:
                return f"owns {folder}"
            _refuse_access_list(folder)
            if not self._may(facts, stat.S_IXOTH):
                return None
            if self._may(facts, stat.S_IWOTH) and not facts.st_mode & stat.S_ISVTX:
                return f"can write in {folder}, and so replace what is in it"
        facts = path.stat()
        if facts.st_uid == self.uid:
            return f"owns {path}"
        _refuse_access_list(path)
        if not may_read and self._may(facts, stat.S_IROTH):
            return f"can read {path}"
        return f"can write {path}" if self._may(facts, stat.S_IWOTH) else None

    def _may(self, facts: os.stat_result, bit: int) -> bool:
        """Whether the bit (of the others' three) is set for the class that this user belongs to."""
        return bool(facts.st_mode & (bit << 3 if facts.st_gid in self.groups else bit))


def _find_account(user: str) -> SystemUser:
    import pwd

    try:
        found = pwd.getpwnam(user)
    except KeyError:
        raise ParameterError(f"there is no user {user!r} on this machine; give the name that clients run as") from None
    return SystemUser(found.pw_uid, frozenset(os.getgrouplist(user, found.pw_gid)))


def _refuse_access_list(path: Path) -> None:
    names = os.listxattr(path) if hasattr(os, "listxattr") else []
    if "system.posix_acl_access" in names:
        raise ParameterError(f"{path} has an access control list, which is not checked here; remove it with setfacl -b")
