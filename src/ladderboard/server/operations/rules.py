"""What an organiser does and sees beside the steps of a competition: baselines, and the health of the holdout."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ladderboard.core.bounds import overfit_bound
from ladderboard.core.errors import ConflictError
from ladderboard.server.db.columns import EPOCH
from ladderboard.server.db.rows import competitions, ledger, teams
from ladderboard.server.lifecycle import find_status
from ladderboard.server.operations import sql
from ladderboard.server.operations.records import HoldoutHealthBody, HourBody
from ladderboard.server.people.names import name_key, normalize_name
from ladderboard.server.services import Services
from ladderboard.server.submissions.records import Answer, IncomingSubmission


def add_baseline(services: Services, slug: str, name: str, content: bytes, *, file_name: str = "") -> Answer:
    """Score a file as the baseline ``name``, which is made where there is none.

    It goes through the mechanism as every submission does, with a memory of its own, and uses up no quota. Raises
    `SubmissionError` for a bad file and `ConflictError` where a team has the name.
    """
    live, spelled = services.competition(slug), normalize_name(name, "baseline's name")
    live.evaluations.receive(content, file_name)  # a bad file leaves no baseline without a number
    with services.database.transaction() as connection:
        competitions.hold(connection, slug)
        now = services.database.now(connection)
        found = teams.find_named(connection, slug, name_key(spelled))
        if found is not None and found.kind != "baseline":
            raise ConflictError(f"there is a team {found.name!r}; choose another name for the baseline")
        if found is None:
            found = teams.add(connection, slug, name=spelled, name_key=name_key(spelled), now=now, kind="baseline")
            assert found is not None, "the competition's row is held: nobody else took the name"
            body = {"team": found.id, "name": spelled}
            ledger.append(connection, slug, kind="baseline_created", at=now, body=body, team_id=found.id)
    incoming = IncomingSubmission(found.id, content, now, file_name=file_name, is_baseline=True)
    return services.submit(live, incoming)


@dataclass(frozen=True)
class Participation:
    """Who takes part, and what of it failed."""

    people: int
    last: datetime | None
    """When the last submission arrived."""
    failed: int
    """The queued submissions that could not be scored."""


def read_participation(services: Services, slug: str) -> Participation:
    """Read who takes part in a competition."""
    with services.database.reading() as connection:
        return Participation(
            sql.count_people(connection, slug),
            sql.find_last_submission(connection, slug),
            sql.count_failed_jobs(connection, slug),
        )


HOURS = 7 * 24


def measure_health(services: Services, slug: str) -> HoldoutHealthBody:
    """Measure the health of a competition's holdout."""
    live = services.competition(slug)
    with services.database.reading() as connection:
        row, now = competitions.read_competition(connection, slug), services.database.now(connection)
        largest = sql.read_largest_bits(connection, slug)
        active = sql.count_active(connection, slug)
        open_flags = sql.count_open(connection, slug)
        counts = sql.count_by_hour(connection, slug, since=now - timedelta(hours=HOURS))
    yardstick = live.yardstick

    def bound(bits: float) -> float | None:
        return overfit_bound(bits, yardstick.hoeffding_units, yardstick.bounds)

    return HoldoutHealthBody(
        status=find_status(live.rules, row, now),
        attempts=row.last_number,
        teams=active,
        bits=row.bits,
        bits_limit=live.rules.limits.leakage_bits,
        overfit_bound=bound(row.bits),
        largest_bits=largest,
        largest_bound=bound(largest),
        is_spent=row.spent_at is not None,
        spent_at=row.spent_at,
        flags=open_flags,
        hours=[HourBody(EPOCH + timedelta(hours=hour), number) for hour, number in counts],
    )
