"""Creation and reopening of a guard's file."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from ladderboard.core.randomness import derive_generator, secret_from_seed
from ladderboard.guard.alignment import Alignment
from ladderboard.guard.file import GuardFile
from ladderboard.guard.gains import facts_to_json
from ladderboard.guard.item_scores import ItemList
from ladderboard.guard.settings import check_settings, make_settings
from ladderboard.guard.settled_metric import encode_positive
from ladderboard.mechanisms import make_mechanism, require_scores
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics.answer_key import AnswerKey

SECRET_BYTES = 32


@dataclass(frozen=True)
class Opener:
    """Opens a guard with what a user gave for it; makes it where it does not exist."""

    key: AnswerKey
    order: Alignment
    graded: ItemList | None
    """The items, where they are graded outside."""
    mechanism: str | type[Mechanism] | Mechanism | None
    seed: int | None

    def open_or_create(self, path: Path | None) -> GuardFile:
        """Open the guard, or make it; None keeps it in memory."""
        return self._open(path) if path is not None and path.exists() else self._create(path)

    def _create(self, path: Path | None) -> GuardFile:
        mechanism = make_mechanism(self.mechanism)
        require_scores(mechanism, "a guard with it would never answer")
        secret = os.urandom(SECRET_BYTES) if self.seed is None else secret_from_seed(self.seed)
        state = mechanism.start(self.key.baseline, derive_generator(secret, "split"))
        settings = make_settings(self.key, self.order, mechanism, secret, is_kept=path is not None)
        if self.graded is not None and path is not None:
            settings = replace(settings, item_list=self.graded.pack())
        leakage = mechanism.leakage(state, self.key.yardstick)
        try:
            return GuardFile.create(path, settings=settings, state=state, leakage=leakage)
        except FileExistsError:  # another process made it in the meantime
            assert path is not None
            return self._open(path)

    def _open(self, path: Path) -> GuardFile:
        guard = GuardFile.open(path)
        try:
            check_settings(guard.settings, self.key, self.order, path=path, mechanism=self.mechanism, seed=self.seed)
        except BaseException:
            guard.close()
            raise
        if guard.settings.public_facts is None:
            guard.write_public_facts(facts_to_json(self.key.yardstick))
        positive = encode_positive(self.key.positive)
        if guard.settings.positive is None and positive is not None:
            guard.write_positive(positive)
        return guard
