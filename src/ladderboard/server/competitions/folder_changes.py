"""Changes of a folder while its competition runs: taken over whole, or refused whole with the reason.

A file that is being written is left alone until two looks find it the same. What is refused changes nothing: the
competition goes on as it was, and the log and the organiser's dashboard say why. Several processes may watch one
folder: whoever is first writes the change and its entry in the ledger, and the others follow the database.
"""

import logging

from ladderboard.competition import Competition, Finding, compute_content_digest, reread_competition
from ladderboard.core.errors import CompetitionError, ConflictError, DatabaseError
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.opening import adopt_rules, refuse_other_solution
from ladderboard.server.db.rows import competitions
from ladderboard.server.services import Services

log = logging.getLogger("ladderboard.folders")


class FolderWatch:
    """The watch of one process over the folders that it serves."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._looked: dict[str, str] = {}
        """The content of each folder at the last look."""
        self._decided: dict[str, str] = {}
        """The content that was taken over or found to be nothing new."""

    def look(self) -> None:
        """Follow the database, then take over each folder that has changed and settled."""
        self._services.take_up_made()
        with self._services.database.reading() as connection:
            rows = competitions.list_competitions(connection, list(self._services.competitions))
        for slug, row in rows.items():
            if self._services.competition(slug).scoring_version != row.scoring_version and not self._correct(slug):
                continue
            live = self._services.follow_rules(slug, row.rules)
            if live.competition.folder is not None and row.folder is None:
                self._look_at(live, live.competition)

    def _correct(self, slug: str) -> bool:
        """Take over a correction that another process has published; False where it cannot be read."""
        try:
            self._services.follow_correction(slug)
        except DatabaseError as problem:
            log.error("correction competition=%s cannot be read: %s", slug, problem)
            return False
        log.info("correction competition=%s taken over", slug)
        return True

    def _look_at(self, live: LiveCompetition, competition: Competition) -> None:
        assert competition.folder is not None
        content = compute_content_digest(competition.folder)
        has_settled = self._looked.get(live.slug) == content
        self._looked[live.slug] = content
        if not has_settled:
            return
        if self._decided.get(live.slug) == content:
            self._accept(live.slug)  # the file may have been put back as it was
            return
        try:
            changed = reread_competition(competition)
            if not self._adopt(live, changed, content):
                return  # the next look decides
        except CompetitionError as problem:
            errors = [one for one in problem.problems if isinstance(one, Finding) and not one.is_warning]
            self._refuse(live.slug, "; ".join(map(str, errors)))
            return
        except ConflictError as problem:
            self._refuse(live.slug, str(problem))
            return
        self._decided[live.slug] = content
        self._accept(live.slug)

    def _adopt(self, live: LiveCompetition, changed: Competition, content: str) -> bool:
        """Write the changes and serve them; False where the folder or the solution changed meanwhile."""
        before = live.competition
        if changed.rules == before.rules and changed.description == before.description:
            return True
        assert changed.folder is not None
        with self._services.database.transaction() as connection:
            row, now = competitions.hold(connection, live.slug), self._services.database.now(connection)
            # Read under the lock: of two processes, the slower one does not undo what the quicker one read later.
            if compute_content_digest(changed.folder) != content or row.scoring_version != live.scoring_version:
                return False
            if changed.metric is not before.metric:
                refuse_other_solution(row, changed)
            adopt_rules(connection, row, changed, now, described=before.description)
        self._services.serve([live.with_competition(changed)])
        log.info("folder competition=%s taken over", live.slug)
        return True

    def _accept(self, slug: str) -> None:
        if self._services.refused_changes.pop(slug, None) is not None:
            log.info("folder competition=%s is as it may be again", slug)

    def _refuse(self, slug: str, reason: str) -> None:
        if self._services.refused_changes.get(slug) != reason:
            self._services.refused_changes[slug] = reason
            log.warning("folder competition=%s refused, it goes on as it was: %s", slug, reason)
