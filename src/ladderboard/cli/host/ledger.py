"""`ladderboard ledger`: verify a competition's ledger and replay its scores.

What only a server's own data needs is imported where it is used: whoever verifies a ledger needs no server.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli.host.server_options import database_options

if TYPE_CHECKING:
    from ladderboard.server.audit.audit import Audit, AuditCheck
    from ladderboard.server.audit.replaying import Replayed

FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
MARKS = {"sound": "✓", "broken": "✗", "not checked": "–"}
MOST_SHOWN = 20


@click.group(cls=LazyGroup)
def ledger() -> None:
    r"""Verify, replay or print the ledger, the public audit log of a competition.

    \b
    Example:
      ladderboard ledger verify https://board.example.org/competitions/whales
      ladderboard ledger replay my-competition --data ladderboard-data
    """


@ledger.command(short_help="Verify chain, seals and commitment without trusting the server.")
@click.argument("source")
@click.option(
    "--publication",
    type=FILE,
    help="The saved response of …/ledger/publication.  [default: downloaded from an address]",
)
@click.option("--seen", multiple=True, metavar="HASH", help="A head hash that you noted earlier; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def verify(source: str, *, publication: Path | None, seen: tuple[str, ...], as_json: bool) -> None:
    r"""Verify a ledger: no entry is missing or changed, and openings and solution match their seals.

    SOURCE is a competition's address, a downloaded file (one entry per line, from …/ledger?format=jsonl), or - for
    standard input. Sign in first to check your own team's openings before the reveal. Exit code 1: the ledger is
    broken; the first bad entry is named.

    \b
    Example:
      ladderboard ledger verify https://board.example.org/competitions/whales
      ladderboard ledger verify whales-ledger.jsonl --publication whales.json --seen 51ac…
    """
    from ladderboard.cli._shared.console import show_progress
    from ladderboard.cli.host.ledger_sources import open_records, read_publication
    from ladderboard.server.audit.audit import audit

    with open_records(source) as records, show_progress("Checking") as progress:
        found = audit(_count(records, progress), seen=seen)
    checks = [*found.checks(seen)]
    if found.is_sound:
        checks += _commitment_checks(found, read_publication(source, publication))
    _report(found, checks, as_json=as_json)


@ledger.command(short_help="Recompute every score and compare.")
@click.argument("source")
@click.option("--publication", type=FILE, help="The saved response of …/ledger/publication.")
@click.option(
    "--submissions", type=click.Path(path_type=Path), help="The zip file of …/publication/submissions, or a folder."
)
@click.option("--old", multiple=True, type=FOLDER, help="A folder from before a correction by version 0.1; repeatable.")
@database_options
@click.option("--json", "as_json", is_flag=True, help="Print every score as JSON.")
def replay(source: str, *, as_json: bool, **given: Any) -> None:
    r"""Recompute every score in order and compare it with the recorded one.

    SOURCE is one of: the competition's folder, for its organiser, with the server's --data or --database; the address
    of a revealed competition whose rules announced that submissions are published; its downloaded ledger with
    --publication and --submissions. With the recorded library versions scores are equal bit for bit, otherwise after
    rounding. Exit code 1: a score differs.

    \b
    Example:
      ladderboard ledger replay my-competition --data ladderboard-data
      ladderboard ledger replay corrected --old my-competition
      ladderboard ledger replay https://board.example.org/competitions/whales
      ladderboard ledger replay whales-ledger.jsonl --publication whales.json --submissions whales.zip
    """
    from ladderboard.cli._shared.console import show_progress
    from ladderboard.cli.host.ledger_replays import open_replay

    with ExitStack() as stack:
        replayed, total = stack.enter_context(open_replay(source, **given))
        progress: Any = stack.enter_context(show_progress("Replaying"))
        found = []
        for one in replayed:
            found.append(one)
            progress(len(found), total)
    _report_replay(found, as_json=as_json)


@ledger.command(short_help="Print the ledger of a server's own data.")
@click.argument("slug")
@database_options
@click.option("--last", type=click.IntRange(min=1), help="Print only the last entries.")
@click.option("--openings", is_flag=True, help="Include what is sealed until the reveal.")
@click.option("--jsonl", is_flag=True, help="Print one JSON entry per line, as `verify` reads it.")
def show(slug: str, *, last: int | None, openings: bool, jsonl: bool, **where: Any) -> None:
    r"""Print the ledger of the competition SLUG from the server's own data.

    \b
    Example:
      ladderboard ledger show whales --last 20
      ladderboard ledger show whales --jsonl --openings | ladderboard ledger verify -
    """
    from ladderboard.cli.host.own_data import open_own_database
    from ladderboard.server.audit.ledger_view import whole_view

    with open_own_database(**where) as database, database.reading() as connection:
        view = whole_view(connection, slug, with_openings=openings)
        after = 0 if last is None else max(0, view.length - last)
        for shown in view.entries(connection, after=after):
            record = shown.to_json()
            click.echo(json.dumps(record, ensure_ascii=False) if jsonl else _format_entry(record))


def _format_entry(record: dict[str, Any]) -> str:
    told = {key: value for key, value in record["body"].items() if key not in ("rules", "versions")}
    opened = record.get("opening")
    words = " ".join(f"{key}={_shorten(value)}" for key, value in (told | (opened or {})).items())
    return f"{record['seq']:>6}  {record['at'][:19]}  {record['kind']:<14} {words}"


def _shorten(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:16]}…"


def _commitment_checks(found: "Audit", publication: Any) -> "Iterator[AuditCheck]":
    from ladderboard.server.audit.published import make_unchecked

    if publication is None:
        yield make_unchecked()
    else:
        yield from publication.checks(found)


def _count(records: Iterable[Any], progress: Any) -> Iterator[Any]:
    for number, record in enumerate(records, 1):
        yield record
        if number % 1000 == 0:
            progress(number, None)


def _report(found: "Audit", checks: "Sequence[AuditCheck]", *, as_json: bool) -> None:
    is_sound = all(check.verdict != "broken" for check in checks)
    if as_json:
        facts = {"sound": is_sound, "entries": found.entries, "head": found.head}
        click.echo(json.dumps(facts | {"checks": [asdict(check) for check in checks]}, ensure_ascii=False, indent=2))
    else:
        for check in checks:
            click.echo(f"{MARKS[check.verdict]} {check.name}: {check.sentence}")
        click.echo("The ledger is sound." if is_sound else "The ledger is BROKEN.")
        if is_sound:
            click.echo(f"Note its head: `verify --seen {found.head}` will show later that nothing was rewritten.")
    if not is_sound:
        raise SystemExit(1)


def _report_replay(found: "Sequence[Replayed]", *, as_json: bool) -> None:
    outcomes = [one.outcome for one in found]
    counts = {outcome: outcomes.count(outcome) for outcome in dict.fromkeys(outcomes)}
    wrong = [one for one in found if one.outcome == "different"]
    if as_json:
        click.echo(json.dumps({"counts": counts, "releases": [asdict(one) for one in found]}, indent=2))
    else:
        click.echo(f"{len(found)} scores: " + ", ".join(f"{count} {word}" for word, count in counts.items()))
        for one in wrong[:MOST_SHOWN]:
            told, again = one.recorded, one.words or one.computed
            click.echo(f"✗ entry {one.seq}, submission {one.number} ({one.submission}): was {told}, is {again}")
        passed = next((one for one in found if one.outcome == "not replayed"), None)
        if passed is not None:
            click.echo(f"– from entry {passed.seq}: {passed.words}")
    if wrong:
        raise SystemExit(1)
