"""Everything a program may try in the sandbox, run inside and outside: prints both answers as JSON.

A program of its own, which needs nothing but Python: nobody may not be allowed to read the libraries of the tests.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ladderboard.core.child_process.parent import ChildFellError, OutOfTimeError
from ladderboard.scoring.sandbox import SandboxedProcess, SandboxLimits, find_obstacle

SMALL = SandboxLimits(memory_mb=300, processes=6, seconds=60, files_mb=32, open_files=64)
ASKED = """
from ladderboard.core.child_process import child
requests = child.Requests()
for request in requests:
    found = {}
    try:
        exec(request["code"], found)
        requests.answer(found=found["found"])
    except BaseException as problem:
        requests.answer(found=type(problem).__name__)
"""
PROBES = {
    "uid": "import os; found = [os.getuid(), os.geteuid()]",
    "rights": "found = [one.split()[1] for one in open('/proc/self/status') if one.startswith(('CapEff', 'CapBnd'))]",
    "network": "import socket; found = bool(socket.create_connection(('127.0.0.1', {port}), 5))",
    "unix socket": "import socket; one = socket.socket(socket.AF_UNIX); one.connect({unix!r}); found = True",
    "file": "found = open({secret!r}).read()",
    "symlink": "import os; os.symlink({secret!r}, '/tmp/l{pid}'); found = open('/tmp/l{pid}').read()",
    "symlink in a readable folder": "found = open({readable!r} + '/out').read()",
    "readable folder": "found = open({readable!r} + '/in').read()",
    "writing": "import os; open({readable!r} + '/new', 'w'); found = os.unlink({readable!r} + '/new') is None",
    "environment": "import os; found = os.environ.get('PROBED_SECRET')",
    "other processes": "import os; os.kill({pid}, 0); found = True",
    "namespaces": "import ctypes; found = ctypes.CDLL(None).unshare(0x10000000) == 0",
    "fork bomb": """
import os, time
found = 0
for _ in range(20):
    try:
        if os.fork() == 0:
            time.sleep(0.5), os._exit(0)
        found += 1
    except OSError:
        pass
""",
    "memory": "found = len(bytearray(400 << 20))",
    "memory of all": """
import subprocess, sys
code = "import sys; kept = bytearray(b'x' * (100 << 20)); print(1, flush=True); sys.stdin.read()"
pipe = subprocess.PIPE
ones = [subprocess.Popen([sys.executable, '-I', '-S', '-c', code], stdin=pipe, stdout=pipe) for _ in range(4)]
found = sum(one.stdout.readline() == b'1\\n' for one in ones)
""",
    "disk": """
import os
found = 0
for name in 'ab':
    with open(f'/tmp/probe-{pid}-' + name, 'wb') as file:
        os.unlink(file.name)
        kept = globals().setdefault(name, os.dup(file.fileno()))
        found += os.write(kept, bytes(20 << 20))
""",
    "shared memory": """
import os
with open('/dev/shm/probe-{pid}', 'wb') as file:
    os.unlink(file.name)
    found = sum(os.write(file.fileno(), bytes(4 << 20)) for _ in range(6))
""",
    "long file": """
import os
with open('/tmp/probe-long-{pid}', 'wb') as file:
    os.unlink(file.name)
    found = file.truncate(40 << 20)
""",
    "open files": """
import os
kept = [os.dup(0) for _ in range(100)]
found = len(kept)
for one in kept:
    os.close(one)
""",
}


def main() -> None:
    """Run every probe inside and outside."""
    if find_obstacle() is not None:
        sys.stdout.write(json.dumps({"obstacle": find_obstacle()}))
        return
    with tempfile.TemporaryDirectory() as folder, socket.socket() as listening, socket.socket(socket.AF_UNIX) as unix:
        Path(folder).chmod(0o755)
        facts = _lay_out(Path(folder), listening, unix)
        found = {name: _try(code, facts) for name, code in PROBES.items()}
        found |= {"hang": _hang(), "killed parent": _kill_parent(), "too much": _send_too_much()}
        sys.stdout.write(json.dumps({"obstacle": None, "user": os.getuid(), **found}))


def _lay_out(folder: Path, listening: socket.socket, unix: socket.socket) -> dict[str, Any]:
    """Make what the probes look for."""
    (folder / "secret").write_text("labels")
    (folder / "readable").mkdir()
    (folder / "readable" / "in").write_text("shown")
    (folder / "readable" / "out").symlink_to(folder / "secret")
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    unix.bind(str(folder / "socket"))
    unix.listen()
    os.environ["PROBED_SECRET"] = "labels"
    return {
        "port": listening.getsockname()[1],
        "unix": str(folder / "socket"),
        "secret": str(folder / "secret"),
        "readable": str(folder / "readable"),
        "pid": os.getpid(),
    }


def _try(code: str, facts: dict[str, Any]) -> dict[str, Any]:
    for name, value in facts.items():
        code = code.replace(f"{{{name}!r}}", repr(value)).replace(f"{{{name}}}", str(value))
    inside = SandboxedProcess(("-c", ASKED), limits=SMALL, readable=[Path(facts["readable"])])
    try:
        found = inside.ask({"code": code}, seconds=60)[0]["found"]
    except ChildFellError:
        found = "fell"
    finally:
        inside.end()
    outside = f"found = {{}}\nexec({code!r}, found)\nprint(repr(found['found']))"
    done = subprocess.run([sys.executable, "-c", outside], capture_output=True, text=True, check=False)
    return {"inside": found, "outside": done.stdout.strip()}


def _start_another(marker: str) -> str:
    """Code that starts a process in a session of its own, which would stay for ten minutes."""
    command = f"[sys.executable, '-I', '-S', '-c', 'import time; time.sleep(600)', {marker!r}]"
    return f"import subprocess, sys, time; subprocess.Popen({command}, start_new_session=True); found = 1\n"


def _hang() -> dict[str, Any]:
    """One that starts others and never answers: how many there were, what was raised, and how many stayed."""
    marker = f"marker-{os.urandom(8).hex()}"
    inside = SandboxedProcess(("-c", ASKED), limits=SMALL)
    inside.ask({"code": _start_another(marker)}, seconds=60)
    before = _await_one(marker)
    try:
        inside.ask({"code": "import time; time.sleep(600)"}, seconds=0.1)
        raised = "nothing"
    except OutOfTimeError:
        raised = "OutOfTimeError"
    inside.end()
    return {"inside": [raised, _await_none(marker)], "outside": before}


def _kill_parent() -> dict[str, Any]:
    """Kill whoever started a sandbox while it works: how many processes there were, and how many stayed."""
    marker = f"marker-{os.urandom(8).hex()}"
    code = (
        "from ladderboard.scoring.sandbox import SandboxedProcess\n"
        f"child = SandboxedProcess(('-c', {ASKED!r}))\n"
        f"child.ask({{'code': {_start_another(marker) + 'time.sleep(600)'!r}}}, seconds=600)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    before = _await_one(marker)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    return {"inside": _await_none(marker), "outside": before}


def _send_too_much() -> dict[str, Any]:
    raised = []
    for send in ("requests.send(bytes(2000)); found = 1", "found = 'x' * (3 << 20)"):
        inside = SandboxedProcess(("-c", ASKED.replace("found = {}", "found = {'requests': requests}")), limits=SMALL)
        try:
            inside.ask({"code": send}, seconds=60, most_bytes=1000)
        except ChildFellError:
            raised.append("fell")
        inside.end()
    allowed = SandboxedProcess(("-c", ASKED.replace("found = {}", "found = {'requests': requests}")), limits=SMALL)
    answer = allowed.ask({"code": "requests.send(bytes(900)); found = 1"}, seconds=60, most_bytes=1000)
    allowed.end()
    return {"inside": raised, "outside": len(answer[1])}


def _count(marker: str) -> int:
    found = 0
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += marker.encode() in place.read_bytes().split(b"\0")
        except OSError:
            continue
    return found


def _await_one(marker: str) -> int:
    """Wait for the kernel: a program that was just started has no command line for a moment."""
    while _count(marker) < 1:
        time.sleep(0.01)
    return _count(marker)


def _await_none(marker: str) -> int:
    for _ in range(500):
        if _count(marker) == 0:
            return 0
        time.sleep(0.01)
    return _count(marker)


if __name__ == "__main__":
    main()
