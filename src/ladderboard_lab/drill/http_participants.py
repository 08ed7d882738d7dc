"""Participants that sign up and submit over HTTP."""

import math
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

import ladderboard as lb
from ladderboard.client import Client
from ladderboard.tabular import SubmissionFormat
from ladderboard_lab.participant import Array, Briefing

if TYPE_CHECKING:
    import httpx

MOST_ACCOUNTS = 20
"""Accounts of one attacker: each costs the server two slow hashes of a password. Names beyond share accounts."""


@dataclass(frozen=True)
class EntryRequirements:
    """What a server requires beside the file: a sign-up code, a training score."""

    code: str | None = None
    """With which people sign up, where sign-up is not open."""
    training_score: float | None = None
    """What is claimed where a mechanism compares with the score on training data."""

    def fields(self) -> dict[str, str]:
        """Make the form fields that go with a file."""
        return {} if self.training_score is None else {"training_score": repr(self.training_score)}


def claim_training_score(mechanism: str, metric: str, baseline: float) -> float | None:
    """Choose the training score an attacker claims: the worst one, since a claim far off gets a number.

    >>> claim_training_score("thresholdout", "error_rate", 0.4), claim_training_score("ladder", "error_rate", 0.4)
    (1.0, None)
    """
    if mechanism not in lb.MECHANISMS or not lb.MECHANISMS[mechanism].needs_training_score:
        return None
    known = lb.METRICS.get(metric)
    worst = math.inf if known is None else known.bounds[1 if known.lower_is_better else 0]
    return float(worst) if math.isfinite(worst) else baseline


@dataclass
class HttpParticipant:
    """A `Participant` on a live server, which knows only the briefing and the API's responses.

    ``predictions`` of an attack are class codes, numbers or probabilities in the order of the solution's ids; they are
    written as the CSV file that the competition asks for.
    """

    briefing: Briefing
    client: Client
    slug: str
    format: SubmissionFormat
    team: str
    token: str = field(repr=False, default="")
    password: str = field(repr=False, default="")
    best: Array | None = None
    """The predictions that were accepted last: those the board's number is about."""
    shown: float | None = None
    interval: tuple[float, float] | None = None
    """Of the number that is shown."""
    submissions: int = 0
    attempts: int = 0
    """Submissions that were scored: repetitions are answered from the store."""
    accepts: int = 0
    requirements: EntryRequirements = field(repr=False, default=EntryRequirements())
    http: "httpx.Client" = field(init=False, repr=False)
    """A plain HTTP client, for requests that the regular client would not send."""
    _accounts: dict[str, "HttpParticipant"] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        import httpx

        # Made here and not when first used: racing threads would each make one, and all but the last stayed open.
        address, headers = self.client.base_url, {"Authorization": f"Bearer {self.token}"}
        # Certificates are not loaded where there are none to check.
        verify = urlsplit(address).scheme != "http"
        self.http = httpx.Client(base_url=address, headers=headers, timeout=60, verify=verify)

    def submit(self, predictions: Array, *, training_score: float | None = None) -> "lb.Release":
        claimed = self.requirements.training_score if training_score is None else training_score
        content = write_csv(self.format, predictions)
        scored = self.client.submit(self.slug, content, name="predictions.csv", training_score=claimed)
        release = lb.Release.from_dict(vars(scored.release))
        self.submissions += 1
        if not scored.duplicate:
            self.shown, self.interval = release.board_value, release.interval
            self.attempts += 1
            self.accepts += release.accepted
            self.best = np.array(predictions) if release.accepted else self.best
        return release

    def get(self, path: str) -> "httpx.Response":
        """Request a path of the competition's API."""
        return self.http.get(f"/api/v1/competitions/{self.slug}/{path}")

    def post_file(self, content: bytes, *, key: str | None = None) -> "httpx.Response":
        """Send a file as it is, without the client's checks and retries."""
        headers = {} if key is None else {"Idempotency-Key": key}
        path, files = f"/api/v1/competitions/{self.slug}/submissions", {"file": ("predictions.csv", content)}
        return self.http.post(path, headers=headers, files=files, data=self.requirements.fields())

    def list_submissions(self) -> list[Any]:
        return list(self.client.submissions(self.slug))

    def list_accounts(self) -> list["HttpParticipant"]:
        """List the other accounts of the same person."""
        return list(self._accounts.values())

    def account(self, name: str) -> "HttpParticipant":
        known = list(self._accounts)
        if name not in self._accounts and len(known) >= MOST_ACCOUNTS:
            name = known[int.from_bytes(name.encode(), "big") % len(known)]
        if name not in self._accounts:
            base_url = self.client.base_url
            self._accounts[name] = sign_up(
                base_url, self.slug, self.briefing, name="account", requirements=self.requirements
            )
        return self._accounts[name]

    def switch_server(self, url: str, slug: str) -> "HttpParticipant":
        """Use the same account in another competition, on a server with the same database, without a team."""
        client = Client(url, self.token)
        return HttpParticipant(
            self.briefing,
            client,
            slug,
            self.format,
            self.team,
            self.token,
            self.password,
            requirements=self.requirements,
        )

    def close(self) -> None:
        """Close the connections of this and all other accounts."""
        for one in (self, *self.list_accounts()):
            one.client.close()
            one.http.close()


def sign_up(
    url: str,
    slug: str,
    briefing: Briefing,
    *,
    name: str = "participant",
    alone: bool = False,
    requirements: EntryRequirements | None = None,
) -> HttpParticipant:
    """Sign up a new account with its own team; ``alone``: without a team."""
    who = f"{name[:24]}-{secrets.token_hex(4)}"
    requirements, client = requirements or EntryRequirements(), Client(url)
    try:
        password = secrets.token_urlsafe(16)
        client.sign_up(who, password, code=requirements.code)
        token = client.sign_in(who, password).token
        if not alone:
            client.create_team(slug, who)
        return HttpParticipant(
            briefing, client, slug, client.format(slug), who, token, password, requirements=requirements
        )
    except BaseException:
        client.close()
        raise


def write_csv(wanted: SubmissionFormat, predictions: Array) -> bytes:
    """Write predictions as a CSV file; class codes become class names."""
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
