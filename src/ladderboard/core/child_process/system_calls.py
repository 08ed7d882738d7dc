"""A filter of system calls that lets a process start threads but no other processes, for good.

A limit on the number of processes (RLIMIT_NPROC) counts all of a user's and does not hold for root. A filter (seccomp,
Linux) holds for everybody, needs no privileges, and passes to every program that the process may become.

Reference: https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html
"""

import ctypes
import errno
import platform
import struct
import sys
from dataclasses import dataclass

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
CLONE_THREAD = 0x10000
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
"""Where `struct seccomp_data` has them; of the argument, the lower half on a little-endian machine."""
_FOREIGN = 0x40000000
"""From here on, numbers of system calls belong to x32, another interface of the same processor."""


@dataclass(frozen=True)
class _Machine:
    """The numbers of an architecture: its own, and those of the calls that start a process or a thread."""

    architecture: int
    clone: int
    forks: tuple[int, ...] = ()
    clone3: int = 435


MACHINES = {"x86_64": _Machine(0xC000003E, clone=56, forks=(57, 58)), "aarch64": _Machine(0xC00000B7, clone=220)}


def forbid_new_processes() -> bool:
    """Forbid this process to start others, from now on; False where the system has no such filter."""
    machine = MACHINES.get(platform.machine())
    if sys.platform != "linux" or machine is None or sys.maxsize < 1 << 32:
        return False
    lines = _write_filter(machine)
    code = b"".join(struct.pack("=HBBI", *line) for line in lines)
    program = ctypes.create_string_buffer(code, len(code))
    described = struct.pack("HxxxxxxP", len(lines), ctypes.addressof(program))
    control = ctypes.CDLL(None).prctl
    words = [ctypes.c_ulong(0)] * 3
    if control(PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), *words) != 0:
        return False
    return bool(control(PR_SET_SECCOMP, ctypes.c_ulong(SECCOMP_MODE_FILTER), described, *words[:2]) == 0)


def _write_filter(machine: _Machine) -> list[tuple[int, int, int, int]]:
    """Write the filter: lines of (operation, lines to skip if true, if false, number)."""
    refuse, allow, unknown = (_RETURN, 0, 0, _ERROR | errno.EPERM), (_RETURN, 0, 0, _ALLOW), errno.ENOSYS
    return [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, machine.architecture),
        refuse,
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _FOREIGN),
        refuse,
        *(line for number in machine.forks for line in ((_EQUAL, 0, 1, number), refuse)),
        # Its flags are in memory, where a filter cannot look: the C library then takes `clone` instead.
        (_EQUAL, 0, 1, machine.clone3),
        (_RETURN, 0, 0, _ERROR | unknown),
        (_EQUAL, 1, 0, machine.clone),
        allow,
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY_BIT, 0, 1, CLONE_THREAD),
        allow,
        refuse,
    ]
