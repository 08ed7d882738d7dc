"""The rules of submitted programs, from [code] in competition.toml."""

from dataclasses import dataclass
from pathlib import Path

from ladderboard.core.errors import InputError

PYTHON = ("bin/python", "Scripts/python.exe")


@dataclass(frozen=True)
class CodeRules:
    """What programs are given and may use.

    ``environment``: the folder of a virtual environment that they run in; None: the server's own Python.
    """

    entry: str = "predict.py"
    environment: str | None = None
    inputs: str = "inputs"
    """The folder of the competition with what programs answer; hidden."""
    sample_inputs: str = "data/sample_inputs"
    """The folder with inputs like these that everybody may see."""
    runs_per_day: int | None = 20
    """How many programs a team may send in a day, also those that fail on the sample."""
    time_limit: float = 600.0
    """Seconds of processor time."""
    memory_mb: int = 4096
    files_mb: int = 512
    """What a program may write, its answers among it; a part of its memory."""


def find_interpreter(environment: str | None, own: str) -> tuple[str, tuple[Path, ...]]:
    """The Python of an environment, and the folders that it needs; ``own``: ours, where no environment is named.

    Raises `InputError` where the folder is no virtual environment.
    """
    if environment is None:
        return own, ()
    folder = Path(environment).resolve()
    python = folder / PYTHON[0]
    if not (folder / "pyvenv.cfg").is_file() or not python.exists():
        raise InputError(
            f"environment is {environment!r}, which is no virtual environment on this machine; make one with "
            f"python3 -m venv {environment}"
        )
    return str(python), (folder, *_list_base(folder, python))


def _list_base(folder: Path, python: Path) -> tuple[Path, ...]:
    """The installation that a virtual environment was made from, where it is not the system's."""
    named = [line.partition("=")[2].strip() for line in (folder / "pyvenv.cfg").read_text().splitlines()
             if line.partition("=")[0].strip() == "home"]  # fmt: skip
    found = {Path(one).parent for one in named} | {python.resolve().parent.parent}
    return tuple(one for one in sorted(found) if one.is_dir() and not one.is_relative_to("/usr") and one != Path("/"))
