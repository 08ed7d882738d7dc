"""The two runs of a submitted program: on the public sample, whose log its team reads, then on the hidden inputs.

What it answered to the hidden inputs is kept, and scored as a submitted file would be; it never runs again. Beside the
release nothing of that run leaves: no log, no output, and no reason where it failed.
"""

from dataclasses import replace
from datetime import datetime

from ladderboard.core.errors import SubmissionError
from ladderboard.scoring.programs import ProgramRun
from ladderboard.scoring.scorer import Answers
from ladderboard.scoring.solution_files import SolutionFiles
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection, Database
from ladderboard.server.db.rows import competitions
from ladderboard.server.jobs import sql
from ladderboard.server.jobs.queue import hold_lease
from ladderboard.server.jobs.records import JobRecord, ProgramFailedError
from ladderboard.server.submissions.records import KeptFile

REPORT_CHARACTERS = 10_000
FAILED_HIDDEN = "the program failed on the hidden inputs; what went wrong there is told to nobody but the organiser"


def run_program(
    database: Database, live: LiveCompetition, job: JobRecord, program: Answers
) -> tuple[JobRecord, Answers]:
    """The answers of a job's program, which are kept with the job from then on; raises `ProgramFailedError`."""
    with database.reading() as connection:
        kept = sql.find(connection, job.id)
    assert kept is not None, "it was taken up"
    job = replace(job, log_digest=kept.log_digest, output_digest=kept.output_digest)  # from before a correction
    if job.log_digest is None:
        job = _try_on_sample(database, live, job, program)
    if job.output_digest is None:
        job = _answer_hidden(database, live, job, program)
    assert job.output_digest is not None, "it has answered"
    return job, _read(live, live.files.read(job.output_digest))


def _try_on_sample(database: Database, live: LiveCompetition, job: JobRecord, program: Answers) -> JobRecord:
    inputs = live.competition.sample_inputs
    assert inputs is not None, "they were read with the rules"
    run = _run(live, program, inputs)
    content = _finish_log(run)
    log = KeptFile(live.files.put(content), content)
    if run.problem:
        words = f"the program failed on the public sample: {run.problem}; its log says more"
        raise ProgramFailedError(words, is_charged=False, log=log)
    with database.transaction() as connection:
        competitions.hold(connection, live.slug)
        hold_lease(connection, job)
        record_log(connection, live, job, log, now=database.now(connection))
    return replace(job, log_digest=log.digest)


def _answer_hidden(database: Database, live: LiveCompetition, job: JobRecord, program: Answers) -> JobRecord:
    inputs = live.competition.inputs
    assert inputs is not None, "they were read with the rules"
    run = _run(live, program, inputs)
    if run.problem:
        raise ProgramFailedError(FAILED_HIDDEN, is_charged=True, report=_report(run))
    _read(live, run.output, run)
    digest = live.files.put(run.output)
    with database.transaction() as connection:
        competitions.hold(connection, live.slug)
        hold_lease(connection, job)
        live.files.record(connection, digest, run.output, database.now(connection))
        sql.change(connection, job.id, output_digest=digest)
    return replace(job, output_digest=digest)


def _run(live: LiveCompetition, program: Answers, inputs: SolutionFiles) -> ProgramRun:
    assert live.competition.programs is not None, "teams submit programs"
    entry = live.competition.programs.check(program.content, program.name)
    return live.competition.runner.run(program.content, entry, inputs)


def _read(live: LiveCompetition, output: bytes, run: ProgramRun | None = None) -> Answers:
    """What a program answered; raises `ProgramFailedError` where that is no valid submission."""
    try:
        return live.evaluations.read(output, live.competition.runner.output_name)
    except SubmissionError as problem:
        report = f"its output is not valid: {problem}" + ("" if run is None else f"\n{_report(run)}")
        raise ProgramFailedError(FAILED_HIDDEN, is_charged=True, report=report) from None


def _report(run: ProgramRun) -> str:
    said = run.log.decode(errors="replace")[-REPORT_CHARACTERS:]
    return f"{run.problem}\n{said}".strip()


def _finish_log(run: ProgramRun) -> bytes:
    """The whole log of a run on the sample, and how it ended."""
    ended = run.problem or f"it wrote {len(run.output):,} bytes"
    took = f"after {run.seconds:.2f} s, with {run.memory_mb:.0f} MB"
    return run.log + (b"" if run.log.endswith(b"\n") or not run.log else b"\n") + f"[{ended}, {took}]\n".encode()


def record_log(connection: Connection, live: LiveCompetition, job: JobRecord, log: KeptFile, *, now: datetime) -> None:
    """Note the log of the run on the sample, which was put before, in the caller's transaction."""
    live.files.record(connection, log.digest, log.content, now)
    sql.change(connection, job.id, log_digest=log.digest)
