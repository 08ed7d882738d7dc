"""The public ledger for organisers to read, each entry as a sentence: what happened, in the words of the site."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.ledger import Entry
from ladderboard.core.score_format import ScoreFormat
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.pages import Reader, page_number, pager, show
from ladderboard.server.audit.ledger_view import view_for
from ladderboard.server.competitions.context import require_duty
from ladderboard.server.teams.teams import read_names

Names = Mapping[str, str]
"""The teams' names by their ids: an entry keeps the id, which stays when a team is renamed."""

NAMING = ("team", "from")
"""Where the body of an entry has the id of a team."""


def find_teams(entry: Entry) -> set[str]:
    """Find the ids of the teams that an entry is about."""
    return {entry.body[word] for word in NAMING if isinstance(entry.body.get(word), str)}


def describe(entry: Entry, names: Names) -> str:
    """Describe an entry in a sentence; an unknown kind, of another version, is described by its name."""
    sentence = _SENTENCES.get(entry.kind)
    try:
        words = entry.kind.replace("_", " ") if sentence is None else sentence(entry.body, names)
    except (AttributeError, KeyError, TypeError, ValueError):  # made by another version, with another body
        words = entry.kind.replace("_", " ")
    reason = entry.body.get("reason")
    return f"{words} {'Reason:'} {reason}" if reason else words


def _team(body: Mapping[str, Any], names: Names, word: str = "team") -> str:
    return names.get(body[word], body[word])


def _describe_creation(body: Mapping[str, Any], _names: Names) -> str:
    rows = body["rows"]
    sentence = (
        "The competition was set up: {public} public and {private} private rows, sealed with labels and mechanism."
    )
    return sentence.format(public=f"{rows['Public']:,}", private=f"{rows['Private']:,}")


def _submission(body: Mapping[str, Any], names: Names) -> str:
    sentence = (
        "{team} made submission {number} after the deadline; it does not count on the board."
        if body["phase"] == "late"
        else "{team} made submission {number}."
    )
    return sentence.format(team=_team(body, names), number=f"{body['number']:,}")


def _describe_grant(body: Mapping[str, Any], names: Names) -> str:
    per_day, total = body["extra_per_day"], body["extra_total"]
    if per_day and total:
        sentence = "{team} was granted extra submissions: {per_day} a day and {total} in total."
    elif total:
        sentence = "{team} was granted extra submissions: {total} in total."
    elif per_day:
        sentence = "{team} was granted extra submissions: {per_day} a day."
    else:
        sentence = "{team} has no extra submissions any more."
    return sentence.format(team=_team(body, names), per_day=per_day, total=total)


def _describe_merge(body: Mapping[str, Any], names: Names) -> str:
    return f"{_team(body, names, 'from')} was merged into {_team(body, names)}."


def _describe_rescoring(body: Mapping[str, Any], _names: Names) -> str:
    sentence = "All submissions were scored again with a corrected solution: {changed} of {all} scores changed."
    return sentence.format(changed=f"{body['releases_changed']:,}", all=f"{body['submissions']:,}")


def _spent(body: Mapping[str, Any], _names: Names) -> str:
    sentence = "The test set is used up: {bits} of at most {limit} bits released."
    return sentence.format(bits=ScoreFormat().write(body["bits"]), limit=ScoreFormat().write(body["limit"]))


def _plain(words: Callable[[], str]) -> "_Sentence":
    return lambda _body, _names: words()


def _make_team_sentence(words: Callable[[], str]) -> "_Sentence":
    """A sentence about one team, by the name it has now."""
    return lambda body, names: words().format(team=_team(body, names))


def _make_named_sentence(words: Callable[[], str]) -> "_Sentence":
    """A sentence with a name that the entry itself has."""
    return lambda body, _names: words().format(name=body["name"])


_Sentence = Callable[[Mapping[str, Any], Names], str]

# Functions, not sentences: each is looked up for every reader, in that reader's language.
_SENTENCES: dict[str, _Sentence] = {
    "created": _describe_creation,
    "opened": _plain(lambda: "The competition opened."),
    "versions": _plain(lambda: "The server now runs other versions of its libraries."),
    "rules_changed": lambda body, _names: f"The rules changed: {'; '.join(body['changes'])}.",
    "description_changed": _plain(lambda: "The description changed."),
    "team_created": _make_named_sentence(lambda: "The team {name} was created."),
    "baseline_created": _make_named_sentence(lambda: "The baseline {name} was added."),
    "joined": _make_team_sentence(lambda: "Somebody joined {team}."),
    "left": _make_team_sentence(lambda: "Somebody left {team}."),
    "renamed": _make_named_sentence(lambda: "A team was renamed to {name}."),
    "merged": _describe_merge,
    "failed": _make_team_sentence(lambda: "A program of {team} failed on the hidden inputs."),
    "withdrawn": _make_team_sentence(lambda: "{team} was withdrawn."),
    "disqualified": _make_team_sentence(lambda: "{team} was disqualified."),
    "reinstated": _make_team_sentence(lambda: "{team} is on the board again."),
    "quota_granted": _describe_grant,
    "submission": _submission,
    "finals_picked": lambda body, names: f"{_team(body, names)} selected its final submissions: {body['picks']}.",
    "frozen": _plain(lambda: "An organiser closed the competition."),
    "unfrozen": _plain(lambda: "An organiser reopened the competition."),
    "finalized": lambda body, _names: f"The private board was computed, with {body['rows']:,} rows.",
    "revealed": _plain(lambda: "The private board was revealed."),
    "rescored": _describe_rescoring,
    "spent": _spent,
    "restored": _plain(lambda: "The server was restored from a backup."),
}


router = APIRouter(include_in_schema=False)

ENTRIES_ON_A_PAGE = 50
LONGEST_BODY = 4000


@dataclass(frozen=True)
class EntryLine:
    """An entry of the ledger: as a sentence, and as it was recorded."""

    entry: Entry
    at: datetime
    words: str
    body: str


@router.get("/competitions/{slug}/organise/ledger")
def ledger(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Show a page of the ledger."""
    context, page = require_duty(services, slug, person, "oversee"), page_number(request)
    with services.database.reading() as connection:
        view = view_for(connection, services, slug, person)
        end = max(0, view.length - (page - 1) * ENTRIES_ON_A_PAGE)
        start = max(0, end - ENTRIES_ON_A_PAGE)
        entries = [shown.entry for shown in view.page(connection, after=start, limit=end - start)]
    names = read_names(services.database, set().union(*(find_teams(entry) for entry in entries)))
    lines = [
        EntryLine(
            entry,
            at=context.in_zone(entry.at),
            words=describe(entry, names),
            body=_shorten(json.dumps(entry.body, ensure_ascii=False, indent=2)),
        )
        for entry in reversed(entries)
    ]
    pages = pager(f"{context.path}/organise/ledger", page=page, pages=-(-view.length // ENTRIES_ON_A_PAGE))
    head = context.head("Organise")
    return show(
        request, "audit/ledger.html", person, head=head, entries=lines, chain=view, pager=pages, base=context.path
    )


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_BODY else text[: LONGEST_BODY - 1] + "…"
