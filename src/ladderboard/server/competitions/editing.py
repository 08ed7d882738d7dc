"""Changes of a published competition that was made in the browser: its rules, its description, its files.

A change is judged as one of a folder that is served (`folder_changes`), and takes effect whole, with its entry in the
ledger, or not at all.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ladderboard.competition import Competition, reread_competition
from ladderboard.competition.loading import DESCRIPTION, inspect_folder
from ladderboard.competition.rules.toml_edit import Key, TomlValue
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.core.errors import ConflictError
from ladderboard.server.competitions.drafts import CHANGED_MEANWHILE, edit_rules, refuse_errors
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.opening import adopt_rules
from ladderboard.server.competitions.stored_folders import change_files
from ladderboard.server.db.rows import competitions
from ladderboard.server.services import Services

REREAD = frozenset({FILE, DESCRIPTION})
"""The files that say nothing about labels: what else changes is searched for leaks."""


def read_version(services: Services, slug: str) -> str:
    """What names the files of the competition as they are now; raises `ConflictError` where a folder has them."""
    services.competition(slug)  # raises where there is none
    with services.database.reading() as connection:
        folder = competitions.read_competition(connection, slug).folder
    if folder is None:
        raise ConflictError(
            "this competition is served from a folder; change competition.toml, description.md and data/ there, which "
            "takes effect at once"
        )
    return folder


def change_competition(
    services: Services,
    slug: str,
    edits: Mapping[Key, TomlValue | None],
    *,
    based_on: str,
    files: Mapping[str, bytes | None] | None = None,
) -> LiveCompetition:
    """Change values of its competition.toml, and other files; None removes one.

    Raises `CompetitionError` for what cannot be used, and `ConflictError` for what a running competition may not
    change, or where the files are not those it is ``based_on`` any more.
    """
    changes = dict(files or {})
    with services.folders.copy(based_on) as folder:
        edit_rules(folder, edits)
        change_files(folder, changes)
        before = services.follow_folder(slug, based_on)
        changed = _read_changed(folder, before.competition, is_searched=not changes.keys() <= REREAD)
        put = services.folders.put(changes | {FILE: (folder / FILE).read_bytes()}, base=based_on)
    with services.database.transaction() as connection:
        row, now = competitions.hold(connection, slug), services.database.now(connection)
        if row.folder != based_on or row.scoring_version != before.scoring_version:
            raise ConflictError(CHANGED_MEANWHILE)
        kept = services.folders.record(connection, put, now)
        adopt_rules(connection, row, changed, now, described=before.competition.description)
        competitions.change_competition(connection, slug, folder=kept)
    live = before.with_competition(replace(changed, folder=services.folders.check_out(kept)))
    services.serve([live])
    return live


def _read_changed(folder: Path, before: Competition, *, is_searched: bool) -> Competition:
    if is_searched:
        refuse_errors(inspect_folder(folder))
    return reread_competition(replace(before, folder=folder))
