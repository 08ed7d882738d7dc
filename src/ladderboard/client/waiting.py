"""Waiting for a queued submission: its own address is asked, at first often, until it is scored or has failed."""

import time
from collections.abc import Callable
from typing import Any

from ladderboard.client.responses import read_response
from ladderboard.core.errors import AnswerError, NotScoredError
from ladderboard.server.jobs.records import JobBody
from ladderboard.server.submissions.records import ScoredBody, SubmissionBody

Told = Callable[[JobBody], None]
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.2, 5.0


def read_answer(told: Any) -> ScoredBody | JobBody:
    """Read the answer to a submission: it is scored, or queued."""
    if isinstance(told, dict) and told.get("status") in ("received", "scoring", "failed"):
        return read_response(JobBody, told)
    return read_response(ScoredBody, told)


def wait_until_scored(
    ask: Callable[[], Any], *, told: Told | None = None, sleep: Callable[[float], None] = time.sleep
) -> ScoredBody:
    """Ask until the submission is scored; raises `NotScoredError` where it cannot be."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        answer = ask()
        if not isinstance(answer, dict) or answer.get("status") == "scored":
            scored = read_response(SubmissionBody, answer).answer
            if scored is None:
                raise AnswerError("the server has scored the submission, and does not say how; is it older than this?")
            return scored
        job = read_response(JobBody, answer)
        refuse_failed(job)
        if told is not None:
            told(job)
        sleep(pause)
        pause = min(LONGEST_PAUSE_SECONDS, pause * 1.5)


def refuse_failed(job: JobBody) -> None:
    """Raise `NotScoredError` where the submission has failed."""
    if job.status == "failed":
        raise NotScoredError(
            job.failure or "it could not be scored", id=job.id, charged=job.charged, has_log=job.has_log
        )
