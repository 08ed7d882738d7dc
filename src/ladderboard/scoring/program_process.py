"""The process in the sandbox that runs a program: `python -m ladderboard.scoring.program_process`.

A request has a command and what it reads on its standard input; the answer what it wrote, its exit code, and the end of
what it said on standard error.
"""

import subprocess

from ladderboard.core.child_process.child import Requests

KEPT_BYTES = 2_000


def main() -> None:
    """Answer requests until the input ends."""
    requests = Requests()
    for request in requests:
        content = requests.read(request["bytes"])
        try:
            done = subprocess.run(request["command"], input=content, capture_output=True, check=False)  # noqa: S603 (what this is for)
        except OSError as problem:
            requests.answer(code=127, said=str(problem))
            continue
        requests.send(done.stdout)
        requests.answer(code=done.returncode, said=done.stderr[-KEPT_BYTES:].decode(errors="replace"))


if __name__ == "__main__":
    main()
