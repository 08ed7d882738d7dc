"""Probes between teams: reading others' submissions, duplicates, and many accounts of one person."""

from collections import Counter

import ladderboard as lb
from ladderboard_lab.drill.http_participants import write_csv
from ladderboard_lab.drill.organiser import sign_in_organiser
from ladderboard_lab.drill.probe_context import LocalProbeContext, ProbeContext, ProbeResult

ACCOUNTS = 4
CHANGED_ROWS = 2


def other_teams(context: ProbeContext) -> ProbeResult:
    """Nothing of another team's submissions can be reached."""
    owner, participant = context.sign_up("owner"), context.sign_up("nosy")
    owner.submit(context.draw_guesses())
    (submission,) = owner.list_submissions()
    reached = [
        path
        for path in ("", "/file")
        if participant.get(f"submissions/{submission.id}{path}").status_code != lb.NotFoundError.status
    ]
    return ProbeResult("other_teams", not reached, "not found" if not reached else f"answered: {', '.join(reached)}")


def same_file_of_two_teams(context: ProbeContext) -> ProbeResult:
    """Nobody is told that somebody else has sent the same file: it is an ordinary attempt of the second team."""
    content = write_csv(context.format, context.draw_guesses())
    teams = [context.sign_up("same file"), context.sign_up("same file")]
    answers = [team.post_file(content) for team in teams]
    bodies = [answer.json() for answer in answers]
    ordinary = all(answer.status_code == 201 for answer in answers) and not any(one["duplicate"] for one in bodies)
    same_fields = bodies[0].keys() == bodies[1].keys()
    holds = ordinary and same_fields and bodies[0]["id"] != bodies[1]["id"]
    statuses = [answer.status_code for answer in answers]
    return ProbeResult("same_file_of_two_teams", holds, f"answered {statuses}, {'apart' if holds else 'as one'}")


def sybils_are_flagged(context: LocalProbeContext) -> ProbeResult:
    """Many accounts with almost the same file: the organiser is shown that, and nobody else is."""
    guesses = context.draw_guesses()
    for number in range(ACCOUNTS):
        values = guesses.copy()
        values[:CHANGED_ROWS] = context.draw_guesses()[:CHANGED_ROWS] if number else values[:CHANGED_ROWS]
        account = context.sign_up("sybil")
        account.post_file(write_csv(account.format, values))
    with sign_in_organiser(context) as organiser:
        raised, page = organiser.list_flags(), organiser.read_dashboard()
    found: Counter[str] = Counter()
    for (team, kind), count in raised.items():
        found[kind] += count if team.startswith("sybil") else 0
    refused = context.sign_up("sybil").get("organise/flags").status_code
    is_told_apart = sum(found.values()) >= ACCOUNTS - 1
    is_on_page = any(team in page for team, _ in raised if team.startswith("sybil"))
    few_rows = context.briefing.items < rows_to_tell_apart(context)
    words = ", ".join(f"{count} × {kind}" for kind, count in sorted(found.items()) if count) or "no flag"
    if few_rows and not is_told_apart:
        words += f"; with {context.briefing.items} rows honest models may agree as well"
    if is_told_apart:
        words += ", on the dashboard" if is_on_page else ", but not on the dashboard"
    holds = ((is_told_apart and is_on_page) or few_rows) and refused == lb.ForbiddenError.status
    return ProbeResult("sybils_are_flagged", holds, f"{words}; a participant who asks for flags gets {refused}")


def rows_to_tell_apart(context: LocalProbeContext) -> int:
    """From how many rows on near-duplicates are told from honest models that agree."""
    from ladderboard.server.moderation.rules import ROWS_FOR_ONE

    return ROWS_FOR_ONE * CHANGED_ROWS if context.format.takes_classes else 20 * CHANGED_ROWS
