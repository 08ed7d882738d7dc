"""Requests at the same moment and requests that are sent again: each attempt is one attempt."""

from concurrent.futures import ThreadPoolExecutor

from ladderboard_lab.drill.http_participants import as_csv
from ladderboard_lab.drill.scene import Probed, Scene

RACERS = 8


def racing(scene: Scene) -> Probed:
    """Attempts of one team at the same moment: each spends one state, none is lost, none is counted twice."""
    stranger = scene.stranger("racing")
    files = [as_csv(stranger.format, scene.guesses()) for _ in range(RACERS)]
    with ThreadPoolExecutor(RACERS) as threads:
        answers = list(threads.map(stranger.post_file, files))
    attempts = sorted(answer.json()["release"]["attempt"] for answer in answers if answer.status_code == 201)
    distinct = len(set(attempts)) == RACERS and (scene.ranked or attempts == list(range(1, RACERS + 1)))
    return Probed("racing", distinct, f"{RACERS} at once were attempts {attempts}")


def racing_copies(scene: Scene) -> Probed:
    """The same file at the same moment: one attempt, one number."""
    stranger = scene.stranger("racing copies")
    content = as_csv(stranger.format, scene.guesses())
    with ThreadPoolExecutor(RACERS) as threads:
        answers = list(threads.map(lambda _: stranger.post_file(content), range(RACERS)))
    stored = len(stranger.own_submissions())
    told = {str(answer.json().get("release")) for answer in answers}
    return Probed("racing_copies", stored == 1 and len(told) == 1, f"{stored} attempt, {len(told)} answer")


def idempotency(scene: Scene) -> Probed:
    """A key sent again gets the same answer; with another body it is refused; it never buys a second reading."""
    stranger = scene.stranger("idempotency")
    first, other = (as_csv(stranger.format, scene.guesses()) for _ in range(2))
    answers = [stranger.post_file(first, key="drill-key") for _ in range(5)]
    mismatch = stranger.post_file(other, key="drill-key")
    same = len({answer.text for answer in answers}) == 1 and {answer.status_code for answer in answers} == {201}
    stored = len(stranger.own_submissions())
    holds = same and mismatch.status_code == 422 and stored == 1
    return Probed("idempotency", holds, f"5 requests were {stored} attempt; another body was {mismatch.status_code}")
