"""What makes a new competition one of programs: their inputs, [code] in its rules, and a program to begin with."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from ladderboard.competition.checks.program_rehearsal import SAMPLE_PROGRAM
from ladderboard.competition.loading import inspect_folder
from ladderboard.competition.model import Competition
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.rules.toml_template import code_toml
from ladderboard.competition.sample_file import read_sample_file
from ladderboard.core.errors import CompetitionError, InputError
from ladderboard.scoring.code_rules import CodeRules

PROGRAM = '''\
"""Answers the inputs: python {entry} INPUTS OUTPUT. This one always gives the sample submission; do better."""

import shutil
import sys
from pathlib import Path

inputs, output = Path(sys.argv[1]), Path(sys.argv[2])
print("inputs:", *sorted(path.name for path in inputs.iterdir()))
shutil.copyfile(Path(__file__).with_name("{sample}"), output)
'''


@dataclass(frozen=True)
class CodeRequest:
    """The request for programs. ``environment``: a virtual environment for them, None: the server's own Python."""

    inputs: Path
    sample_inputs: Path
    environment: Path | None = None


def add_programs(folder: Path, request: CodeRequest) -> Competition:
    """Let a competition that was just made take programs; raises `InputError` where that is not possible."""
    for path in (request.inputs, request.sample_inputs):
        if not path.is_dir():
            raise InputError(f"{path} is no folder; give a folder of files that programs read")
    rules = CodeRules(environment=None if request.environment is None else str(request.environment.absolute()))
    shutil.copytree(request.inputs, folder / rules.inputs, symlinks=True)
    shutil.copytree(request.sample_inputs, folder / rules.sample_inputs, symlinks=True)
    sample, program = read_sample_file(folder), folder / SAMPLE_PROGRAM
    program.mkdir()
    (program / rules.entry).write_text(PROGRAM.format(entry=rules.entry, sample=sample.name), encoding="utf-8")
    (program / sample.name).write_bytes(sample.content)
    with (folder / FILE).open("a", encoding="utf-8", newline="\n") as file:
        file.write(code_toml(rules))
    found = inspect_folder(folder)
    if found.competition is not None:
        return found.competition
    errors = [finding for finding in found.findings if not finding.is_warning]
    told = "\n".join(f"  {finding}" for finding in errors)
    raise CompetitionError(f"no folder was created, because these files do not fit together:\n{told}", errors)
