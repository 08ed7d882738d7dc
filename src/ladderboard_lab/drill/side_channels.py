"""Probes of side channels: twins' responses compared byte for byte, and response times."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ladderboard_lab.drill.http_participants import HttpParticipant, sign_up, write_csv
from ladderboard_lab.drill.probe_context import LocalProbeContext, ProbeResult
from ladderboard_lab.drill.servers import RunningServer
from ladderboard_lab.drill.sessions import RecordedResponse, RecordedSession, sign_in_to_pages
from ladderboard_lab.drill.timing import Timed, compare_times
from ladderboard_lab.drill.twin_competitions import Twins, make_hopeless, serve_twins
from ladderboard_lab.participant import Array, IntArray

REQUESTS, SPLIT_REQUESTS, KNOWN_REQUESTS, QUICK_REQUESTS = 2000, 1000, 200, 400
SERVER_FAULT = 500
SHOWN = 60
"""Characters of each side around the first difference."""


def same_answers(context: LocalProbeContext) -> ProbeResult:
    """Labels that give the same releases give the same answers, headers and log lines, but for ids and times."""
    compared = []
    with serve_twins(context) as (server, pairs):
        for twins in pairs:
            found = _compare(context, twins, server)
            if found.difference:
                return ProbeResult("same_answers", False, f"other {twins.part} labels: {found.difference}")
            compared.append(f"{found.answers} for other {twins.part} labels")
    words = f"answers compared: {', '.join(compared)}; the same byte for byte but for ids and times"
    missing = "" if len(pairs) == 2 else "; found no files that get the same releases with other public labels"
    return ProbeResult("same_answers", bool(compared), words + missing)


def same_times(context: LocalProbeContext) -> ProbeResult:
    """Times of rejections tell neither labels nor the split, nor whether another team has sent the same bytes."""
    requests = QUICK_REQUESTS if context.quick else REQUESTS
    solution = context.competition.solution
    with serve_twins(context) as (server, pairs):
        if not pairs:
            return ProbeResult("same_times", False, "found no files that twins answer alike")
        twins = pairs[-1]
        participants = [
            sign_up(server.url, slug, context.briefing, name="timed", requirements=context.requirements)
            for slug in twins.slugs
        ]
        rejected = [_make_sender(one, lambda: make_hopeless(context, twins.same_rows)) for one in participants]
        by_labels = compare_times(*rejected, requests=requests, rng=context.rng)
        parts = [rows for part in ("Public", "Private") if len(rows := solution.rows(part))]
        lonely = [_make_sender(participants[0], _make_odd_drawer(context, rows)) for rows in (parts[0], parts[-1])]
        by_split = compare_times(*lonely, requests=min(requests, SPLIT_REQUESTS), rng=context.rng)
        hopeless = partial(make_hopeless, context, twins.same_rows)
        by_bytes = _compare_bytes(context, participants, hopeless, requests=min(requests, KNOWN_REQUESTS))
        for one in participants:
            one.close()
    compared = {
        f"other {twins.part} labels": by_labels,
        "one odd row, public or private": by_split,
        "bytes that another team has sent, or fresh ones": by_bytes,
    }
    words = "; ".join(f"{what}: {timed.words}" for what, timed in compared.items())
    return ProbeResult("same_times", not any(timed.tells_apart for timed in compared.values()), words)


@dataclass(frozen=True)
class _Compared:
    answers: int
    difference: str = ""


def _compare(context: LocalProbeContext, twins: Twins, server: RunningServer) -> _Compared:
    """Compare two sessions of one account in step."""
    participant = sign_up(
        server.url, twins.slugs[0], context.briefing, name="twin", alone=True, requirements=context.requirements
    )
    pages = sign_in_to_pages(participant.client.base_url, participant.team, participant.password)
    sides = [RecordedSession(participant, pages, slug, side) for slug, side in zip(twins.slugs, "ab", strict=True)]
    answers = 0
    try:
        for first, second in zip(*(visit.record_responses(twins.stream) for visit in sides), strict=True):
            answers += 1
            difference = _find_difference(first, second)
            if difference:
                return _Compared(answers, difference)
        lines = [visit.log_lines(server.log) for visit in sides]
    finally:
        pages.close()
        participant.close()
    if len(lines[0]) != len(lines[1]):
        return _Compared(answers, f"the log has {len(lines[0])} lines about one, {len(lines[1])} about the other")
    for first_line, second_line in zip(*lines, strict=True):
        if first_line != second_line:
            return _Compared(answers, f"log lines differ: {_quote_around(first_line, second_line)}")
    return _Compared(answers)


def _find_difference(first: RecordedResponse, second: RecordedResponse) -> str:
    if first.status >= SERVER_FAULT:  # two faults are alike, and show nothing
        return f"{first.request}: the server answered {first.status}"
    for part in ("request", "status", "headers", "body", "release"):
        one, other = str(getattr(first, part)), str(getattr(second, part))
        if one != other:
            return f"{first.request}: its {part} differs: {_quote_around(one, other)}"
    return ""


def _quote_around(first: str, second: str) -> str:
    """Quote both texts where they begin to differ."""
    place = next((at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
    part = slice(max(0, place - SHOWN // 2), place + SHOWN // 2)
    return f"{first[part]!r} and {second[part]!r}"


def _make_sender(participant: HttpParticipant, draw: Callable[[], Array]) -> Callable[[], object]:
    """Make a function that sends a new file each time; writing it takes the same time on both sides."""
    return lambda: participant.post_file(write_csv(participant.format, draw()))


def _compare_bytes(
    context: LocalProbeContext, participants: Sequence[HttpParticipant], draw: Callable[[], Array], *, requests: int
) -> Timed:
    """Compare the times of files that another team has sent before with those of fresh ones."""
    first, second = participants
    # All are written beforehand: only the server's time counts. A comparison is repeated at most once, and half of its
    # requests are of each kind.
    known, fresh = ([write_csv(first.format, draw()) for _ in range(requests)] for _ in range(2))
    for content in known:
        second.post_file(content)
    senders = (_make_file_sender(first, files) for files in (known, fresh))
    return compare_times(*senders, requests=requests, rng=context.rng)


def _make_file_sender(participant: HttpParticipant, files: Sequence[bytes]) -> Callable[[], object]:
    left = iter(files)
    return lambda: participant.post_file(next(left))


def _make_odd_drawer(context: LocalProbeContext, rows: IntArray) -> Callable[[], Array]:
    """Make a function that draws constant predictions with one odd row from one part of the solution."""

    def draw() -> Array:
        drawn = context.draw_guesses()
        values = np.repeat(drawn[:1], len(drawn), axis=0)
        row = int(context.rng.choice(rows))
        values[row] = next(other for other in drawn if np.any(other != values[0]))
        return values

    return draw
