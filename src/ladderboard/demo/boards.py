"""The demo's second board, which shows every score."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from ladderboard.core.records import IntArray
from ladderboard.demo.digits import Digits

FILE = "full-disclosure.json"
ATTACKER = "Lucky Strike"


@dataclass(frozen=True)
class OpenRow:
    """A team on the board that shows every score: its best public score and that submission's private score."""

    team: str
    public: float
    private: float
    attempts: int


class OpenBoard:
    """A board that shows every raw score and ranks teams by their best, as most platforms do."""

    def __init__(self, digits: Digits) -> None:
        self._digits = digits
        self._rows: dict[str, OpenRow] = {}

    def submit(self, team: str, predictions: IntArray) -> float:
        """Score a submission."""
        score = self._digits.score(predictions, public=True)
        before = self._rows.get(team)
        attempts = 1 if before is None else before.attempts + 1
        if before is None or score > before.public:
            self._rows[team] = OpenRow(team, score, self._digits.score(predictions, public=False), attempts)
        else:
            self._rows[team] = OpenRow(team, before.public, before.private, attempts)
        return score

    def rows(self) -> list[OpenRow]:
        """List the rows, best first."""
        return sorted(self._rows.values(), key=lambda row: (-row.public, row.team))

    def save(self, folder: Path) -> None:
        (folder / FILE).write_text(json.dumps([asdict(row) for row in self.rows()], indent=1))


def read_rows(folder: Path) -> list[OpenRow]:
    """Read the saved board; its scores are for the demo's page only."""
    return [OpenRow(**row) for row in json.loads((folder / FILE).read_text())]
