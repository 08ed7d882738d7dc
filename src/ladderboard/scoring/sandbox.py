"""The sandbox: a child process that sees no network, no file but the system's, no environment, and has limits.

It is made by bubblewrap, from the kernel's namespaces. What runs inside is never uid 0: root becomes nobody first. What
it is and what it is not stands in docs/security.md.
"""

import contextlib
import json
import math
import os
import shutil
import site
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import ladderboard
from ladderboard.core.child_process.parent import ChildProcess
from ladderboard.core.errors import NoSandboxError
from ladderboard.core.library_threads import ONE_THREAD
from ladderboard.scoring.memory_group import MemoryGroup, make_memory_group

MEGABYTE = 1 << 20
NOBODY = 65534
WORK, SHARED = "/tmp", "/dev/shm"  # noqa: S108 (the sandbox's own)
SHARED_MB = 16
"""The size of /dev/shm, through which processes share memory."""
SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime")
"""Of /etc only what programs are found and linked by."""
NETWORK_FILES = ("/etc/hosts", "/etc/nsswitch.conf", "/etc/resolv.conf", "/etc/ssl", "/etc/ca-certificates")
PROBE_SECONDS = 20.0
STARTING_SECONDS = 30
"""Of processor time that a process may have used before it is asked: the clock ends it first, and says so."""
CARRIED = "/run/ladderboard"
CARRY = """
set -e
mkdir -p "$0" && mount -t tmpfs -o size=64k,mode=755 tmpfs "$0" && n=0
while [ "$1" != -- ]; do mkdir "$0/$n" && mount --bind "$1" "$0/$n"; n=$((n + 1)); shift; done
shift
exec "$@"
"""
"""As root: mount each folder where every user can reach it, in a view of the file system that nobody else has."""
LIMITER = """
import json, os, resource, sys
for name, most in json.loads(sys.argv[1]).items():
    resource.setrlimit(getattr(resource, name), (most, most))
os.execv(sys.argv[2], sys.argv[2:])
"""
"""The first program inside: it limits itself, and becomes what is to run."""


@dataclass(frozen=True)
class SandboxLimits:
    """What a sandbox may use: memory of all its processes and files together, and the rest for each process.

    Threads count as processes. ``has_network``: it may connect to wherever this machine may.
    """

    memory_mb: int = 4096
    processes: int = 8
    seconds: float = 600.0
    """Of processor time for each process after its start; the time by the clock is limited by whoever asks."""
    open_files: int = 256
    files_mb: int = 256
    has_network: bool = False

    def list_for_process(self, *, has_group: bool) -> dict[str, int]:
        """List the limits of one process; without a group that counts all, their sum must fit into the memory."""
        whole = (self.memory_mb - self.files_mb - SHARED_MB) * MEGABYTE
        return {
            "RLIMIT_AS": whole if has_group else whole // self.processes,
            "RLIMIT_CPU": math.ceil(self.seconds) + STARTING_SECONDS,
            "RLIMIT_NPROC": self.processes,
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_FSIZE": self.files_mb * MEGABYTE,
            "RLIMIT_CORE": 0,
        }


class SandboxedProcess(ChildProcess):
    """A running Python process in a sandbox, asked as any `ChildProcess`; ``readable`` folders are shown to it.

    Raises `NoSandboxError` where this machine cannot have one.
    """

    def __init__(
        self, arguments: tuple[str, ...], *, limits: SandboxLimits | None = None, readable: Sequence[Path] = ()
    ) -> None:
        require_sandbox()
        self._limits, self._readable = limits or SandboxLimits(), readable
        self._group: MemoryGroup | None = None
        super().__init__(arguments)

    def _start(self, arguments: tuple[str, ...], folder: Path | None) -> "subprocess.Popen[bytes]":
        self._group = make_memory_group(self._limits.memory_mb * MEGABYTE)
        try:
            return _start_with_parent(self._limits, self._readable, arguments, self._group)
        except BaseException:
            self._remove_group()
            raise

    def end(self) -> None:
        super().end()
        self._remove_group()

    def _remove_group(self) -> None:
        if self._group is not None:
            self._group.remove()


def require_sandbox() -> None:
    """Refuse to go on where no sandbox can be made; raises `NoSandboxError` with the reason and what to do."""
    obstacle = find_obstacle()
    if obstacle is not None:
        raise NoSandboxError(f"there is no sandbox on this machine: {obstacle}")


@cache
def find_obstacle() -> str | None:
    """Find what keeps this machine from having a sandbox, by making one; None: nothing does."""
    if sys.platform != "linux":
        return "it is made of Linux's namespaces; run this on Linux"
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed; on Debian: apt-get install bubblewrap"
    hidden = _find_unreadable(_list_python())
    if hidden is not None and os.geteuid() != 0:
        return f"this user cannot read {hidden}, where Python is installed"
    command = _build_command(SandboxLimits(), (), [sys.executable, "-I", "-S", "-c", "import json"], has_group=False)
    try:
        tried = subprocess.run(command, capture_output=True, timeout=PROBE_SECONDS, check=False)  # noqa: S603 (our own)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return f"bubblewrap does not start ({problem})"
    if tried.returncode == 0:
        return None
    said = tried.stderr.decode(errors="replace").strip().splitlines()
    return (
        f"bubblewrap says {said[-1] if said else tried.returncode!r}; it needs version 0.8, and the right to make user "
        "namespaces, which containers and some distributions take away (sysctl kernel.apparmor_restrict_unprivileged_"
        "userns=0 on Ubuntu)"
    )


# -- starting -------------------------------------------------------------------------------------------------------


def _start_with_parent(
    limits: SandboxLimits, readable: Sequence[Path], arguments: tuple[str, ...], group: MemoryGroup | None
) -> "subprocess.Popen[bytes]":
    """Start it from a thread that lives as long as we do: it dies with the thread that started it, not the process."""
    return _get_starter(os.getpid()).submit(_start, limits, readable, arguments, group).result()


@cache
def _get_starter(pid: int) -> ThreadPoolExecutor:  # noqa: ARG001 (a fork has none of its parent's threads)
    return ThreadPoolExecutor(1, thread_name_prefix="ladderboard-sandbox")


def _start(
    limits: SandboxLimits, readable: Sequence[Path], arguments: tuple[str, ...], group: MemoryGroup | None
) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-P", *arguments]
    with _Gate() as gate:
        built = _build_command(limits, readable, command, has_group=group is not None, gate=gate)
        process = subprocess.Popen(  # noqa: S603 (our own command)
            built,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            pass_fds=gate.passed,
            start_new_session=True,
        )
        first = gate.read_first_process()
        if group is not None and first is not None:
            group.add(first)
        gate.open()
    return process


class _Gate:
    """Two pipes of bubblewrap: it tells its first process, which waits until it is let go, in its memory group."""

    def __enter__(self) -> "_Gate":
        self._told, self.tells = os.pipe()
        self.waits, self._lets_go = os.pipe()
        self.passed = (self.tells, self.waits)
        return self

    def read_first_process(self) -> int | None:
        """Read its number in our namespace; None if bubblewrap ended before it had one."""
        os.close(self.tells)
        self.tells = -1
        with os.fdopen(self._told, "rb") as told:
            said = told.read()
        return int(json.loads(said)["child-pid"]) if said else None

    def open(self) -> None:
        """Let it go."""
        with contextlib.suppress(OSError):
            os.write(self._lets_go, b"1")

    def __exit__(self, *_: object) -> None:
        for end in (self.tells, self.waits, self._lets_go):
            if end >= 0:
                os.close(end)


# -- the command ----------------------------------------------------------------------------------------------------


def _build_command(
    limits: SandboxLimits,
    readable: Sequence[Path],
    command: Sequence[str],
    *,
    has_group: bool,
    gate: _Gate | None = None,
) -> list[str]:
    """Build the whole command: as root one that becomes nobody, then bubblewrap, then the program that sets limits."""
    folders = [*_list_python(), *(one.resolve() for one in readable)]
    waits = [] if gate is None else ["--info-fd", str(gate.tells), "--block-fd", str(gate.waits)]
    limiter = [sys.executable, "-I", "-S", "-c", LIMITER, json.dumps(limits.list_for_process(has_group=has_group))]
    is_root = os.geteuid() == 0
    sources = {one: Path(CARRIED, str(n)) if is_root else one for n, one in enumerate(folders)}
    first = [*_list_root(folders)] if is_root else []
    work = str(readable[0].resolve()) if readable else WORK
    files = [*_list_rules(limits), *_list_files(limits, sources), "--chdir", work]
    return [*first, _find("bwrap"), *waits, *files, "--", *limiter, *command]


def _list_root(folders: Sequence[Path]) -> Iterator[str]:
    """In a view of the file system of its own, carry the folders to where nobody can reach them, and become nobody."""
    yield from (_find("unshare"), "--mount", "--propagation", "private", "--")
    yield from ("/bin/sh", "-c", CARRY, CARRIED, *map(str, folders), "--")
    yield from (_find("setpriv"), f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")


def _find(program: str) -> str:
    return shutil.which(program) or program


def _list_rules(limits: SandboxLimits) -> Iterator[str]:
    yield from ("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session")
    yield from ("--share-net",) if limits.has_network else ()
    yield from ("--cap-drop", "ALL", "--clearenv")
    for name, value in _list_environment():
        yield from ("--setenv", name, value)
    yield from ("--dev", "/dev", "--proc", "/proc", "--size", str(SHARED_MB * MEGABYTE), "--tmpfs", SHARED)
    yield from ("--size", str(limits.files_mb * MEGABYTE), "--tmpfs", WORK)


def _list_files(limits: SandboxLimits, sources: Mapping[Path, Path]) -> Iterator[str]:
    """The system, and folders with where they come from; those above them are made, and show nothing else."""
    for link in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if Path(link).is_symlink():
            yield from ("--symlink", str(Path(link).readlink()), link)
        elif Path(link).is_dir():
            yield from ("--ro-bind", link, link)
    shown = [Path("/usr"), *map(Path, (*SYSTEM_FILES, *(NETWORK_FILES if limits.has_network else ())))]
    made: set[Path] = set()
    for path in [*(one for one in shown if one.exists()), *sources]:
        for folder in reversed(path.parents[:-1]):
            if folder not in made and not folder.is_relative_to("/usr"):
                made.add(folder)
                yield from ("--perms", "0755", "--dir", str(folder))
        yield from ("--ro-bind", str(sources.get(path, path)), str(path))
    yield from ("--remount-ro", "/", "--remount-ro", "/dev")


def _list_python() -> list[Path]:
    """List the folders of this Python and of Ladderboard that are not the system's."""
    users = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    libraries = [sysconfig.get_path(name) for name in ("purelib", "platlib")]
    found = [sys.base_prefix, sys.prefix, *libraries, *users, *ladderboard.__path__]
    resolved = dict.fromkeys(path for one in found for path in (Path(one), Path(one).resolve()))
    return list(_drop_inner(path for path in resolved if _exists(path) and not path.is_relative_to("/usr")))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:  # in a folder of another user
        return False


def _drop_inner(paths: Iterable[Path]) -> Iterator[Path]:
    known = list(paths)
    for path in known:
        if not any(path != other and path.is_relative_to(other) for other in known):
            yield path


def _list_environment() -> Iterator[tuple[str, str]]:
    yield from {"PATH": "/usr/bin:/bin", "HOME": WORK, "TMPDIR": WORK, "LANG": "C.UTF-8"}.items()
    yield "PYTHONPATH", os.pathsep.join(str(Path(one).parent) for one in ladderboard.__path__)
    yield "PYTHONDONTWRITEBYTECODE", "1"
    yield from dict.fromkeys(ONE_THREAD, "1").items()


def _find_unreadable(paths: Iterable[Path]) -> Path | None:
    return next((path for path in paths if not os.access(path, os.R_OK | os.X_OK)), None)
