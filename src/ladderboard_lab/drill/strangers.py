"""Strangers: accounts that sign up as anybody could, and submit over HTTP."""

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard.client import Client
from ladderboard.submissions import SubmissionFormat
from ladderboard_lab.participant import Array, Briefing

if TYPE_CHECKING:
    import httpx


@dataclass
class Stranger:
    """A `Participant` on a live server. It knows the briefing and what the API answers, and nothing else.

    ``predictions`` of an attack are class codes, numbers or probabilities in the order of the solution's ids; they are
    written as the CSV file that the competition asks for.
    """

    briefing: Briefing
    client: Client
    slug: str
    format: SubmissionFormat
    team: str
    token: str = field(repr=False, default="")
    best: Array | None = None
    """The predictions that were accepted last: those the board's number is about."""
    shown: float | None = None
    submissions: int = 0
    attempts: int = 0
    """Submissions that were scored: repetitions are answered from the store."""
    accepts: int = 0
    _accounts: dict[str, "Stranger"] = field(default_factory=dict, repr=False)

    def submit(self, predictions: Array, *, training_score: float | None = None) -> "lb.Release":
        scored = self.client.submit(
            self.slug, as_csv(self.format, predictions), name="predictions.csv", training_score=training_score
        )
        told = scored.release
        release = lb.Release(
            value=told.value,
            board_value=told.board_value,
            accepted=told.accepted,
            improved=told.improved,
            attempt=told.attempt,
            interval=None if told.interval is None else (told.interval[0], told.interval[1]),
        )
        self.submissions += 1
        if not scored.duplicate:
            self.shown = release.board_value
            self.attempts += 1
            self.accepts += release.accepted
            self.best = np.array(predictions) if release.accepted else self.best
        return release

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def get(self, path: str) -> "httpx.Response":
        """What the competition's API answers to this account."""
        import httpx

        address = f"{self.client.base_url}/api/v1/competitions/{self.slug}/{path}"
        return httpx.get(address, headers=self.headers(), timeout=60)

    def others(self) -> list["Stranger"]:
        """The other accounts of the same person."""
        return list(self._accounts.values())

    def account(self, name: str) -> "Stranger":
        if name not in self._accounts:
            self._accounts[name] = sign_up(self.client.base_url, self.slug, self.briefing, name=f"{self.team} {name}")
        return self._accounts[name]


def sign_up(url: str, slug: str, briefing: Briefing, *, name: str = "") -> Stranger:
    """A new account with a team of its own."""
    who = f"{name or 'stranger'}-{secrets.token_hex(4)}"[-40:]
    client = Client(url)
    password = secrets.token_urlsafe(16)
    client.sign_up(who, password)
    token = client.sign_in(who, password).token
    client.create_team(slug, who)
    return Stranger(briefing, client, slug, client.format(slug), who, token)


def as_csv(wanted: SubmissionFormat, predictions: Array) -> bytes:
    """Predictions as a file; class codes become the classes' names."""
    import polars as pl

    values = np.asarray(predictions)
    if wanted.takes in ("classes", "two_classes"):
        values = np.asarray(wanted.classes)[values.astype(np.intp)]
    table = values if values.ndim == 2 else values[:, None]
    names = wanted.prediction_columns
    if table.shape[1] == 2 and len(names) == 1:
        table = table[:, 1:]
    columns = {wanted.id_column: wanted.ids} | {name: table[:, place] for place, name in enumerate(names)}
    return pl.DataFrame(columns).write_csv().encode()
