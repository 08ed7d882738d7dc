"""Files that are broken, odd or undefined: what is answered tells nothing of the split or of a label."""

import re
from typing import Any

import numpy as np

from ladderboard_lab.drill.http_participants import write_csv
from ladderboard_lab.drill.probe_context import ProbeContext, ProbeResult

ROWS = 4
"""How many public and how many private rows are broken."""
ODD_ROWS = 2


def bad_rows(context: ProbeContext) -> ProbeResult:
    """Faults in public and in private rows get the same answers: a free error must not tell the split."""
    participant = context.sign_up("bad rows")
    lines = write_csv(participant.format, context.draw_guesses()).decode().splitlines()
    told: dict[str, set[str]] = {}
    for row in context.choose_rows(ROWS):
        for fault, broken in _faults(lines, row).items():
            answer = participant.post_file("\n".join(broken).encode())
            told.setdefault(fault, set()).add(f"{answer.status_code} {_remove_places(answer.text)}")
    differing = sorted(fault for fault, answers in told.items() if len(answers) > 1)
    if participant.list_submissions():
        return ProbeResult("bad_rows", False, "a file that failed validation was charged")
    words = f"the answers differ for {', '.join(differing)}" if differing else f"{len(told)} faults, one answer each"
    return ProbeResult("bad_rows", not differing, words)


def only_some_rows(context: ProbeContext) -> ProbeResult:
    """Files with the rows of one part alone are refused, and in the same words for either part."""
    participant = context.sign_up("only some rows")
    header, *lines = write_csv(participant.format, context.draw_guesses()).decode().splitlines()
    rows = context.choose_rows(ROWS)
    told = set()
    for part in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
        alone = participant.post_file("\n".join([header, *(lines[row] for row in part)]).encode())
        others = [line for place, line in enumerate(lines) if place not in part]
        without = participant.post_file("\n".join([header, *others]).encode())
        told.add(f"{alone.status_code} {without.status_code} {_remove_ids(alone.text)} {_remove_ids(without.text)}")
    holds = len(told) == 1 and next(iter(told)).startswith("422 422")
    return ProbeResult("only_some_rows", holds, "refused alike" if holds else f"{len(told)} answers: {sorted(told)}")


def constant_but_one(context: ProbeContext) -> ProbeResult:
    """Predictions that are constant but for one row: nobody is told whether the metric is undefined on public rows."""
    told: set[str] = set()
    for row in context.choose_rows(ODD_ROWS):
        participant = context.sign_up("constant but one")
        guesses = context.draw_guesses()
        values = np.repeat(guesses[:1], len(guesses), axis=0)
        values[row] = next(other for other in guesses if np.any(other != values[0]))
        answer = participant.post_file(write_csv(participant.format, values))
        told.add(f"{answer.status_code} {_shape(answer.json(), is_ranked=context.ranked)}")
    # Where a mechanism accepts such a thing it tells a number, and the meter counts it; rejections must be all alike.
    rejections = {one for one in told if "accepted=False" in one}
    holds = len(rejections) <= 1 and all(one.startswith("201 ") for one in told)
    return ProbeResult("constant_but_one", holds, "; ".join(sorted(told)))


def no_more_digits(context: ProbeContext) -> ProbeResult:
    """Every number on the board is one that was released, digit for digit, also in the file of the board."""
    participant = context.sign_up("digits")
    released = {participant.submit(context.draw_guesses()).board_value for _ in range(5)}
    rows = participant.get("leaderboard?per_page=200").json()["items"]
    shown = {row["value"] for row in rows if row["team"] == participant.team}
    lines = participant.get("leaderboard?format=csv").text.splitlines()
    place = lines[0].split(",").index("value") if "value" in lines[0].split(",") else None
    in_file = {line.split(",")[place] for line in lines[1:] if participant.team in line} if place is not None else set()
    written = {str(value) for value in released} | {"" if value is None else f"{value:g}" for value in released}
    holds = shown <= released and in_file <= written
    return ProbeResult(
        "no_more_digits", holds, f"shown {sorted(map(str, shown | in_file))} of {sorted(map(str, released))}"
    )


def _faults(lines: list[str], row: int) -> dict[str, list[str]]:
    """Make files with one fault in one row; the header is line 0."""
    place = row + 1
    name, *cells = lines[place].split(",")
    return {
        "blank": _replace_line(lines, place, ",".join([name, *("" for _ in cells)])),
        "word": _replace_line(lines, place, ",".join([name, *("what?" for _ in cells)])),
        "nan": _replace_line(lines, place, ",".join([name, *("nan" for _ in cells)])),
        "infinite": _replace_line(lines, place, ",".join([name, *("inf" for _ in cells)])),
        "huge": _replace_line(lines, place, ",".join([name, *("1e300" for _ in cells)])),
        "missing": [*lines[:place], *lines[place + 1 :]],
        "twice": [*lines, lines[place]],
        "unknown": _replace_line(lines, place, ",".join(["no-such-id", *cells])),
    }


def _replace_line(lines: list[str], place: int, line: str) -> list[str]:
    return [*lines[:place], line, *lines[place + 1 :]]


def _remove_places(text: str) -> str:
    """Remove from a response what names the broken row, which the sender knows."""
    return re.sub(r"\d+", "#", re.sub(r'"request_id":"[^"]*"', "", text))


def _remove_ids(text: str) -> str:
    """Remove the ids from a response, which the sender knows."""
    return re.sub(r"[\w.-]*\d[\w.-]*", "#", text)


def _shape(answer: dict[str, Any], *, is_ranked: bool) -> str:
    """Describe what a release reveals; without the attempt where a board counts attempts as a whole."""
    release = answer.get("release", {})
    counted = "" if is_ranked else f" attempt={release.get('attempt')}"
    return f"accepted={release.get('accepted')} value={release.get('value')}{counted}"
