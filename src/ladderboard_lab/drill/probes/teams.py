"""What one team can learn of another, and what many accounts of one person look like to the organiser."""

from collections import Counter

import ladderboard as lb
from ladderboard_lab.drill.http_participants import as_csv
from ladderboard_lab.drill.organiser import organiser_of
from ladderboard_lab.drill.scene import OwnScene, Probed, Scene

ACCOUNTS = 4
CHANGED_ROWS = 2


def other_teams(scene: Scene) -> Probed:
    """Nothing of another team's submissions can be reached."""
    owner, stranger = scene.stranger("owner"), scene.stranger("nosy")
    owner.submit(scene.guesses())
    (submission,) = owner.own_submissions()
    reached = [
        path
        for path in ("", "/file")
        if stranger.get(f"submissions/{submission.id}{path}").status_code != lb.NotFoundError.status
    ]
    return Probed("other_teams", not reached, "not found" if not reached else f"answered: {', '.join(reached)}")


def same_file_of_two_teams(scene: Scene) -> Probed:
    """Nobody is told that somebody else has sent the same file: it is an ordinary attempt of the second team."""
    content = as_csv(scene.format, scene.guesses())
    teams = [scene.stranger("same file"), scene.stranger("same file")]
    answers = [team.post_file(content) for team in teams]
    bodies = [answer.json() for answer in answers]
    ordinary = all(answer.status_code == 201 for answer in answers) and not any(one["duplicate"] for one in bodies)
    same_fields = bodies[0].keys() == bodies[1].keys()
    holds = ordinary and same_fields and bodies[0]["id"] != bodies[1]["id"]
    statuses = [answer.status_code for answer in answers]
    return Probed("same_file_of_two_teams", holds, f"answered {statuses}, {'apart' if holds else 'as one'}")


def sybils_are_flagged(scene: OwnScene) -> Probed:
    """Many accounts with almost the same file: the organiser is shown that, and nobody else is."""
    guesses = scene.guesses()
    for number in range(ACCOUNTS):
        values = guesses.copy()
        values[:CHANGED_ROWS] = scene.guesses()[:CHANGED_ROWS] if number else values[:CHANGED_ROWS]
        account = scene.stranger("sybil")
        account.post_file(as_csv(account.format, values))
    with organiser_of(scene) as organiser:
        raised, page = organiser.flags(), organiser.dashboard()
    found: Counter[str] = Counter()
    for (team, kind), count in raised.items():
        found[kind] += count if team.startswith("sybil") else 0
    refused = scene.stranger("sybil").get("organise/flags").status_code
    is_told_apart = sum(found.values()) >= ACCOUNTS - 1
    is_on_page = any(team in page for team, _ in raised if team.startswith("sybil"))
    few_rows = scene.briefing.items < rows_to_tell_apart(scene)
    words = ", ".join(f"{count} × {kind}" for kind, count in sorted(found.items()) if count) or "no flag"
    if few_rows and not is_told_apart:
        words += f"; with {scene.briefing.items} rows honest models may agree as well"
    if is_told_apart:
        words += ", on the dashboard" if is_on_page else ", but not on the dashboard"
    holds = ((is_told_apart and is_on_page) or few_rows) and refused == lb.ForbiddenError.status
    return Probed("sybils_are_flagged", holds, f"{words}; a participant who asks for flags gets {refused}")


def rows_to_tell_apart(scene: OwnScene) -> int:
    """From how many rows on near-duplicates are told from honest models that agree."""
    from ladderboard.hosting.moderation.similarity import ROWS_FOR_ONE

    return ROWS_FOR_ONE * CHANGED_ROWS if scene.format.takes_classes else 20 * CHANGED_ROWS
