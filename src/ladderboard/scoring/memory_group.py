"""A control group of the kernel: a limit on the memory of a process and all that it starts, files in memory included.

Made where this process may make one: as root under version 1 of the interface, and in a group that was delegated to us
under version 2 (a service of systemd with ``Delegate=yes``). Elsewhere there is none.

Reference: https://docs.kernel.org/admin-guide/cgroup-v2.html and cgroup-v1/memory.html
"""

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
GROUPS = Path("/proc/self/cgroup")
LIMITS = (("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"), ("memory.max", "memory.swap.max"))
"""Of each version the file that limits memory, and the one for what is swapped out."""
REMOVAL_SECONDS = 5.0


@dataclass(frozen=True)
class MemoryGroup:
    """A group of our own."""

    folder: Path

    def add(self, pid: int) -> None:
        """Put a process into it; what it starts from then on is in it too."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def remove(self) -> None:
        """Remove it; the kernel takes a moment to forget processes that were killed."""
        until = time.monotonic() + REMOVAL_SECONDS
        while self.folder.exists() and time.monotonic() < until:
            with contextlib.suppress(OSError):
                self.folder.rmdir()
                return
            time.sleep(0.005)


def make_memory_group(size: int) -> MemoryGroup | None:
    """Make a group that may use so many bytes; None where we may not."""
    parent = find_parent(GROUPS, ROOT)
    if parent is None:
        return None
    group = MemoryGroup(parent / f"ladderboard-{os.getpid()}-{os.urandom(4).hex()}")
    try:
        group.folder.mkdir()
        limit, swap = next(names for names in LIMITS if (group.folder / names[0]).exists())
        (group.folder / limit).write_text(str(size))
        with contextlib.suppress(OSError):  # where swapping is not counted
            (group.folder / swap).write_text("0" if swap == "memory.swap.max" else str(size))
    except (OSError, StopIteration):
        group.remove()
        return None
    return group


def find_parent(groups: Path, root: Path) -> Path | None:
    """Find our own group of the memory controller, below which others may be made."""
    try:
        lines = groups.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            return root / "memory" / path.lstrip("/")
        own = root / path.lstrip("/")
        enabled = own / "cgroup.subtree_control"
        if not controllers and enabled.exists() and "memory" in enabled.read_text().split():
            return own
    return None
