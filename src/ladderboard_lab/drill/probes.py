"""Probes: single tricks against a live server, each with a yes or no whether it held.

`PROBES` names every one of them. Labels and split are used only to judge what came back.
"""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import ladderboard as lb
from ladderboard_lab.drill.answers import post_file
from ladderboard_lab.drill.scene import Probed, Scene
from ladderboard_lab.drill.strangers import as_csv

RACERS = 8
ROWS = 4
"""How many public and how many private rows are tried."""


def bad_rows(scene: Scene) -> Probed:
    """Faults in public and in private rows get the same answers: a free error must not tell the split."""
    stranger = scene.stranger("bad rows")
    lines = as_csv(stranger.format, scene.guesses()).decode().splitlines()
    told: dict[str, set[str]] = {}
    for usage in ("Public", "Private"):
        for row in scene.some(usage, ROWS):
            for fault, broken in _faults(lines, int(row)).items():
                answer = post_file(stranger, "\n".join(broken).encode())
                told.setdefault(fault, set()).add(f"{answer.status_code} {_without_places(answer.text)}")
    differing = sorted(fault for fault, answers in told.items() if len(answers) > 1)
    charged = next(iter(stranger.client.submissions(stranger.slug)), None) is not None
    if charged:
        return Probed("bad_rows", False, "a file that failed validation was charged")
    words = f"the answers differ for {', '.join(differing)}" if differing else f"{len(told)} faults, one answer each"
    return Probed("bad_rows", not differing, words)


def constant_but_one(scene: Scene) -> Probed:
    """Predictions that are constant but for one row: nobody is told whether the metric is undefined on public rows."""
    told: set[str] = set()
    for usage in ("Public", "Private"):
        for row in scene.some(usage, ROWS):
            stranger = scene.stranger("constant but one")
            guesses = scene.guesses()
            values = np.repeat(guesses[:1], len(guesses), axis=0)
            values[row] = next(other for other in guesses if np.any(other != values[0]))
            answer = post_file(stranger, as_csv(stranger.format, values))
            told.add(f"{answer.status_code} {_shape(answer.json())}")
    return Probed("constant_but_one", len(told) == 1, "; ".join(sorted(told)))


def racing(scene: Scene) -> Probed:
    """Attempts of one team at the same moment: each spends one state, none is lost, none is counted twice."""
    stranger = scene.stranger("racing")
    files = [as_csv(stranger.format, scene.guesses()) for _ in range(RACERS)]
    with ThreadPoolExecutor(RACERS) as threads:
        answers = list(threads.map(lambda content: post_file(stranger, content), files))
    ranked = scene.competition.rules.instances == "rank"
    attempts = sorted(answer.json()["release"]["attempt"] for answer in answers if answer.status_code == 201)
    distinct = len(set(attempts)) == RACERS and (ranked or attempts == list(range(1, RACERS + 1)))
    return Probed("racing", distinct, f"{RACERS} at once were attempts {attempts}")


def racing_copies(scene: Scene) -> Probed:
    """The same file at the same moment: one attempt, one number."""
    stranger = scene.stranger("racing copies")
    content = as_csv(stranger.format, scene.guesses())
    with ThreadPoolExecutor(RACERS) as threads:
        answers = list(threads.map(lambda _: post_file(stranger, content), range(RACERS)))
    stored = len(list(stranger.client.submissions(stranger.slug)))
    told = {str(answer.json().get("release")) for answer in answers}
    return Probed("racing_copies", stored == 1 and len(told) == 1, f"{stored} attempt, {len(told)} answer")


def idempotency(scene: Scene) -> Probed:
    """A key sent again gets the same answer; with another body it is refused; it never buys a second reading."""
    stranger = scene.stranger("idempotency")
    first, other = (as_csv(stranger.format, scene.guesses()) for _ in range(2))
    answers = [post_file(stranger, first, key="drill-key") for _ in range(5)]
    mismatch = post_file(stranger, other, key="drill-key")
    same = len({answer.text for answer in answers}) == 1 and {answer.status_code for answer in answers} == {201}
    stored = len(list(stranger.client.submissions(stranger.slug)))
    holds = same and mismatch.status_code == 422 and stored == 1
    return Probed("idempotency", holds, f"5 requests were {stored} attempt; another body was {mismatch.status_code}")


def other_teams(scene: Scene) -> Probed:
    """Nothing of another team's submissions can be reached."""
    owner, stranger = scene.stranger("owner"), scene.stranger("nosy")
    owner.submit(scene.guesses())
    (submission,) = owner.client.submissions(owner.slug)
    reached = [
        path
        for path in ("", "/file")
        if stranger.get(f"submissions/{submission.id}{path}").status_code != lb.NotFoundError.status
    ]
    return Probed("other_teams", not reached, "not found" if not reached else f"answered: {', '.join(reached)}")


def no_more_digits(scene: Scene) -> Probed:
    """Every number on the board is one that was released, digit for digit."""
    stranger = scene.stranger("digits")
    released = {stranger.submit(scene.guesses()).board_value for _ in range(5)}
    rows = stranger.get("leaderboard?per_page=200").json()["items"]
    shown = {row["value"] for row in rows if row["team"] == stranger.team}
    holds = shown <= released
    return Probed("no_more_digits", holds, f"shown {sorted(shown)} of released {sorted(map(str, released))}")


PROBES: dict[str, Callable[[Scene], Probed]] = {
    probe.__name__: probe
    for probe in (bad_rows, constant_but_one, racing, racing_copies, idempotency, other_teams, no_more_digits)
}


def _faults(lines: list[str], row: int) -> dict[str, list[str]]:
    """A valid file with one fault in one row; the header is line 0."""
    place = row + 1
    name, *cells = lines[place].split(",")
    return {
        "blank": _with(lines, place, ",".join([name, *("" for _ in cells)])),
        "word": _with(lines, place, ",".join([name, *("what?" for _ in cells)])),
        "nan": _with(lines, place, ",".join([name, *("nan" for _ in cells)])),
        "infinite": _with(lines, place, ",".join([name, *("inf" for _ in cells)])),
        "huge": _with(lines, place, ",".join([name, *("1e300" for _ in cells)])),
        "missing": [*lines[:place], *lines[place + 1 :]],
        "twice": [*lines, lines[place]],
        "unknown": _with(lines, place, ",".join(["no-such-id", *cells])),
    }


def _with(lines: list[str], place: int, line: str) -> list[str]:
    return [*lines[:place], line, *lines[place + 1 :]]


def _without_places(text: str) -> str:
    """An answer without what names the row that was broken, on purpose, by the sender."""
    return re.sub(r"\d+", "#", re.sub(r'"request_id":"[^"]*"', "", text))


def _shape(answer: dict[str, Any]) -> str:
    release = answer.get("release", {})
    return f"accepted={release.get('accepted')} value={release.get('value')} attempt={release.get('attempt')}"
