"""The inputs of submitted programs, and a trial run of the organiser's sample program on both."""

import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np

from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.model import Competition
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.rules.toml_text import TomlText
from ladderboard.core.errors import InputError, LadderboardError
from ladderboard.scoring.programs import ProgramRun, find_program_obstacle
from ladderboard.scoring.solution_files import SolutionFiles

SAMPLE_PROGRAM = "data/sample_program"
LOG_CHARACTERS = 1000


def add_inputs(competition: Competition, folder: Path, toml: TomlText, findings: Findings) -> Competition | None:
    """The competition with its inputs and the result of a trial run; None where they cannot be read."""
    code = competition.rules.code
    assert code is not None, "it takes programs"
    found = []
    for key, name in (("inputs", code.inputs), ("sample_inputs", code.sample_inputs)):
        path, line = folder / name, toml.line("code", key)
        is_public = path.resolve().is_relative_to((folder / "data").resolve())
        if not path.resolve().is_relative_to(folder.resolve()) or not path.is_dir():
            findings.error(FILE, line, f"there is no folder {name} in the competition's folder ({key} of [code])")
        elif key == "inputs" and is_public:
            findings.error(FILE, line, f"{name} lies in data/, which participants download; move it out of there")
        else:
            try:
                found.append(SolutionFiles.read(path))
            except InputError as problem:
                findings.error(FILE, line, str(problem))
    if len(found) < 2:
        return None
    if found[0].digest == found[1].digest:
        findings.error(FILE, toml.line("code", "inputs"), "inputs and sample_inputs hold the same files; hide others")
        return None
    competition = replace(competition, inputs=found[0], sample_inputs=found[1])
    obstacle = find_program_obstacle(code)
    if obstacle is not None:
        findings.error(FILE, toml.line("code", "environment"), obstacle)
        return None
    told = _rehearse(competition, folder, toml, findings)
    return replace(competition, rehearsal="; ".join(filter(None, (competition.rehearsal, told))))


def _rehearse(competition: Competition, folder: Path, toml: TomlText, findings: Findings) -> str:
    """Run the sample program as a team's would be; returns what it took, in a sentence."""
    program, line = folder / SAMPLE_PROGRAM, toml.line("code")
    if not program.is_dir():
        words = f"there is no {SAMPLE_PROGRAM}/ to try; put a program there that answers anything, as an example"
        findings.warn(FILE, line, words)
        return ""
    try:
        archive = pack_program(program)
        assert competition.programs is not None and competition.inputs is not None, "it takes programs"  # noqa: PT018
        assert competition.sample_inputs is not None, "it takes programs"
        entry = competition.programs.check(archive, SAMPLE_PROGRAM)
        trial = competition.runner.run(archive, entry, competition.sample_inputs)
        if _report(trial, "the sample inputs", line, findings):
            return ""
        run = competition.runner.run(archive, entry, competition.inputs)
        if _report(run, "the hidden inputs", line, findings):
            return ""
        scores = competition.scorer.score(competition.scorer.read(run.output, competition.runner.output_name))
    except LadderboardError as problem:
        findings.error(FILE, line, f"{SAMPLE_PROGRAM}: {problem}")
        return ""
    finally:
        competition.scorer.close()
    if scores.report and np.isnan(scores.values).any():
        findings.error(FILE, line, f"what {SAMPLE_PROGRAM} answered could not be scored: {scores.report}")
    return (
        f"{SAMPLE_PROGRAM} answered the hidden inputs in {run.seconds:.2f} s with {run.memory_mb:.0f} MB, in a sandbox"
    )


def _report(run: ProgramRun, what: str, line: int | None, findings: Findings) -> bool:
    if not run.problem:
        return False
    said = run.log.decode(errors="replace")[-LOG_CHARACTERS:]
    findings.error(FILE, line, f"{SAMPLE_PROGRAM} on {what}: {run.problem}\n{said}".strip())
    return True


def pack_program(folder: Path) -> bytes:
    """The files of a folder as an archive; raises `InputError` where it holds links or nothing."""
    packed, content = SolutionFiles.read(folder), BytesIO()
    with zipfile.ZipFile(BytesIO(packed.packed)) as files, zipfile.ZipFile(content, "w") as archive:
        for info in files.infolist():
            archive.writestr(zipfile.ZipInfo(info.filename.partition("/")[2]), files.read(info))
    return content.getvalue()
