"""`python -m ladderboard`, for where the script is not on the path."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(sys.executable).with_name("ladderboard")


def test_python_runs_the_command_line_as_a_module() -> None:
    for words, code in ((["--version"], 0), (["nonsense"], 2)):
        module, script = (
            subprocess.run([*command, *words], capture_output=True, text=True, check=False)
            for command in ([sys.executable, "-m", "ladderboard"], [str(SCRIPT)])
        )
        assert module.returncode == code
        assert (module.stdout, module.stderr) == (script.stdout, script.stderr)
