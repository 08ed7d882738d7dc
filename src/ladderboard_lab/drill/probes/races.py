"""Probes of simultaneous and repeated requests."""

from concurrent.futures import ThreadPoolExecutor

from ladderboard_lab.drill.http_participants import write_csv
from ladderboard_lab.drill.probe_context import ProbeContext, ProbeResult

RACERS = 8


def racing(context: ProbeContext) -> ProbeResult:
    """Attempts of one team at the same moment: each spends one state, none is lost, none is counted twice."""
    participant = context.sign_up("racing")
    files = [write_csv(participant.format, context.draw_guesses()) for _ in range(RACERS)]
    with ThreadPoolExecutor(RACERS) as threads:
        answers = list(threads.map(participant.post_file, files))
    attempts = sorted(answer.json()["release"]["attempt"] for answer in answers if answer.status_code == 201)
    distinct = len(set(attempts)) == RACERS and (context.ranked or attempts == list(range(1, RACERS + 1)))
    return ProbeResult("racing", distinct, f"{RACERS} at once were attempts {attempts}")


def racing_copies(context: ProbeContext) -> ProbeResult:
    """The same file at the same moment: one attempt, one number."""
    participant = context.sign_up("racing copies")
    content = write_csv(participant.format, context.draw_guesses())
    with ThreadPoolExecutor(RACERS) as threads:
        answers = list(threads.map(lambda _: participant.post_file(content), range(RACERS)))
    stored = len(participant.list_submissions())
    told = {str(answer.json().get("release")) for answer in answers}
    return ProbeResult("racing_copies", stored == 1 and len(told) == 1, f"{stored} attempt, {len(told)} answer")


def idempotency(context: ProbeContext) -> ProbeResult:
    """A key sent again gets the same answer; with another body it is refused; it never buys a second reading."""
    participant = context.sign_up("idempotency")
    first, other = (write_csv(participant.format, context.draw_guesses()) for _ in range(2))
    answers = [participant.post_file(first, key="drill-key") for _ in range(5)]
    mismatch = participant.post_file(other, key="drill-key")
    same = len({answer.text for answer in answers}) == 1 and {answer.status_code for answer in answers} == {201}
    stored = len(participant.list_submissions())
    holds = same and mismatch.status_code == 422 and stored == 1
    return ProbeResult(
        "idempotency", holds, f"5 requests were {stored} attempt; another body was {mismatch.status_code}"
    )
