"""Baselines of the organiser: shown on the board in their places, marked, and without a rank."""

from ladderboard.core.errors import ConflictError
from ladderboard.server.audit import sql as ledger
from ladderboard.server.people.names import name_key, normalize_name
from ladderboard.server.services import Services
from ladderboard.server.submissions.incoming import Answer, IncomingSubmission
from ladderboard.server.submissions.sql import attempts
from ladderboard.server.teams.sql import teams


def add_baseline(services: Services, slug: str, name: str, content: bytes, *, file_name: str = "") -> Answer:
    """Score a file as the baseline ``name``, which is made where there is none.

    It goes through the mechanism as every submission does, with a memory of its own, and uses up no quota. Raises
    `SubmissionError` for a bad file and `ConflictError` where a team has the name.
    """
    live, spelled = services.competition(slug), normalize_name(name, "baseline's name")
    live.evaluations.read(content, file_name)  # a bad file leaves no baseline without a number
    with services.database.transaction() as connection:
        attempts.hold(connection, slug)
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
