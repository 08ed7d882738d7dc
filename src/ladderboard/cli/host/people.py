"""`ladderboard people`: who is what in one competition, and invitations to it, from the organiser's terminal."""

import json
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli.host.own_data import open_own_database, read_settings, read_slug
from ladderboard.cli.host.server_options import database_options
from ladderboard.core.errors import ParameterError
from ladderboard.core.words import with_article
from ladderboard.server.enrolment import invitations, staff
from ladderboard.server.enrolment.invitations import LINK_PATH, MOST_DAYS, USUAL_DAYS
from ladderboard.server.enrolment.pasted_list import read_list
from ladderboard.server.operations.spreadsheets import write_csv_lines

ROLES = ("teacher", "assistant", "reader", "participant")
AT_ONCE = 500
COMPETITION = click.argument("competition", type=click.Path(path_type=Path))
days_option = click.option(
    "--days", type=click.IntRange(1, MOST_DAYS), default=USUAL_DAYS, show_default=True, help="Until the links expire."
)


@click.group(cls=LazyGroup)
def people() -> None:
    r"""Manage the people of one COMPETITION (its folder or slug): roles, and invitations.

    \b
    Example:
      ladderboard people role whales ada teacher
      ladderboard people invite whales class.csv > links.csv
      ladderboard people link whales --uses 30
    """


@people.command("list", short_help="List who has a role.")
@COMPETITION
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@database_options
def list_people(competition: Path, *, as_json: bool, **where: Any) -> None:
    r"""List who has a role in COMPETITION, the staff first, with real names and addresses.

    \b
    Example:
      ladderboard people list whales
    """
    with open_own_database(**where) as database:
        slug = read_slug(competition)
        found, total = staff.list_enrolled(database, slug, limit=AT_ONCE)
        while len(found) < total:
            found += staff.list_enrolled(database, slug, limit=AT_ONCE, offset=len(found))[0]
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], default=datetime.isoformat, ensure_ascii=False))
        return
    for one in found:
        real = ", ".join(known for known in (one.real_name, one.address) if known)
        click.echo(f"{one.role:11}  {one.name:40}  {real}".rstrip())


@people.command(short_help="Give somebody a role: teacher, assistant, reader or participant.")
@COMPETITION
@click.argument("name")
@click.argument("role", metavar="ROLE", type=click.Choice(ROLES))
@database_options
def role(competition: Path, name: str, role: Any, **where: Any) -> None:
    r"""Make the account NAME a teacher, assistant, reader or participant of COMPETITION, effective at once.

    Nobody may compete after having been on the staff; this command alone undoes a slip.

    \b
    Example:
      ladderboard people role whales ada teacher
    """
    with open_own_database(**where) as database:
        slug = read_slug(competition)
        stored = staff.give_role(database, slug, name, role, by_operator=True)
    click.echo(f"{stored} is {with_article(role)} of {slug} now.")


@people.command(short_help="Take somebody's role away.")
@COMPETITION
@click.argument("name")
@database_options
def remove(competition: Path, name: str, **where: Any) -> None:
    r"""Take the role of the account NAME in COMPETITION away; a team and its submissions stay.

    \b
    Example:
      ladderboard people remove whales ada
    """
    with open_own_database(**where) as database:
        slug = read_slug(competition)
        stored = staff.take_role(database, slug, name)
    click.echo(f"{stored} has no role in {slug} any more.")


@people.command(short_help="Invite the people on a list, each with a link of their own.")
@COMPETITION
@click.argument("people_file", metavar="LIST", type=click.File(encoding="utf-8"))
@click.option("--role", type=click.Choice(ROLES), default="participant", show_default=True)
@days_option
@database_options
def invite(competition: Path, people_file: TextIO, *, role: Any, days: int, **where: Any) -> None:
    r"""Invite the people in the file LIST (- for standard input), one a line: an address, a name, or both.

    Prints a CSV table with a link for each, which is shown only this once. If a line is not understood, nobody is
    invited. Whoever takes part already, or is invited already, is left out.

    \b
    Example:
      ladderboard people invite whales class.csv > links.csv
    """
    read = read_list(people_file.read())
    if read.problems:
        lines = "\n".join(f"  line {one.line}: {one.message}" for one in read.problems)
        raise ParameterError(f"nobody was invited; mend these lines of {people_file.name}:\n{lines}")
    with open_own_database(**where) as database:
        slug = read_slug(competition)
        made = invitations.invite_people(database, slug, read.people, role=role, days=days)
    rows = ((one.real_name, one.address, _spell_link(code, where)) for code, one in made)
    click.echo("".join(write_csv_lines(("name", "address", "link"), rows)), nl=False)
    if len(made) < len(read.people):
        click.echo(f"{len(read.people) - len(made)} left out: they take part or are invited already.", err=True)


@people.command(short_help="Make one link for everybody who is to take part.")
@COMPETITION
@click.option("--uses", type=click.IntRange(1), help="The number of people who may use it.  [default: no limit]")
@days_option
@database_options
def link(competition: Path, *, uses: int | None, days: int, **where: Any) -> None:
    r"""Make one link with which everybody who has it can take part in COMPETITION.

    \b
    Example:
      ladderboard people link whales --uses 30 --days 7
    """
    with open_own_database(**where) as database:
        code, _made = invitations.make_open_link(database, read_slug(competition), uses=uses, days=days)
    click.echo(_spell_link(code, where))


def _spell_link(code: str, where: dict[str, Any]) -> str:
    base = read_settings(**where).base_url.rstrip("/") or "http://…"
    return f"{base}{LINK_PATH}?code={code}"
