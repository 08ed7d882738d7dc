"""A host: the parts of one server, put together once and handed to whoever needs them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from ladderboard.errors import NotFoundError
from ladderboard.hosting.hosted import Hosted
from ladderboard.hosting.referee import Referee
from ladderboard.hosting.uploads import HESITATION_SECONDS, Scoring, Uploads
from ladderboard.settings import Settings
from ladderboard.store.database import Database
from ladderboard.store.files import Files
from ladderboard.words import said


@dataclass(eq=False)
class Host:
    """Settings, database, files and the competitions that are served."""

    settings: Settings
    database: Database
    files: Files
    referee: Referee
    competitions: dict[str, Hosted] = field(default_factory=dict)

    @cached_property
    def uploads(self) -> Uploads:
        return Uploads(
            at_once=self.settings.uploads_at_once,
            per_minute=self.settings.uploads_per_minute,
            hesitation=HESITATION_SECONDS,
        )

    @cached_property
    def scoring(self) -> Scoring:
        return Scoring(lanes=1 if self.database.is_sqlite else 2)

    def hosted(self, slug: str) -> Hosted:
        """The competition of that name; raises `NotFoundError`."""
        if slug not in self.competitions:
            raise NotFoundError(said("there is no competition {slug!r} here", slug=slug))
        return self.competitions[slug]

    def serve(self, all_hosted: Iterable[Hosted]) -> None:
        self.competitions.update({hosted.slug: hosted for hosted in all_hosted})

    def close(self) -> None:
        self.database.close()
