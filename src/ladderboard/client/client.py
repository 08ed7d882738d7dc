"""The client class: a participant's actions on a server as methods."""

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, overload
from urllib.parse import parse_qsl, quote, urlsplit

from ladderboard.client.connection import PREFIX, Connection, read_json
from ladderboard.client.etag_cache import ETagCache
from ladderboard.client.responses import read_format, read_response
from ladderboard.client.retries import ONCE, PATIENT, Retries
from ladderboard.client.uploads import FileLike, Progress, open_upload, read_whole
from ladderboard.client.waiting import Told, read_answer, refuse_failed, wait_until_scored
from ladderboard.server.app.records import Page
from ladderboard.server.audit.records import LedgerBody, LedgerEntryBody
from ladderboard.server.boards.records import LeaderboardBody, StandingBody
from ladderboard.server.competitions.records import CompetitionBody, CompetitionSummaryBody
from ladderboard.server.jobs.records import JobBody
from ladderboard.server.people.records import AccountBody, MeBody, NewTokenBody, Scope
from ladderboard.server.results.records import FinalsBody, PrivateLeaderboardBody
from ladderboard.server.submissions.records import ScoredBody, SubmissionBody
from ladderboard.server.teams.records import NewInvitationBody, TeamBody

if TYPE_CHECKING:
    # NumPy comes with it, which most commands can do without.
    from ladderboard.tabular.format import Predictions, SubmissionFormat

Item = TypeVar("Item")


class _HasNext(Protocol):
    @property
    def next(self) -> str | None: ...


Part = TypeVar("Part", bound=_HasNext)

SECONDS = 30.0
PAGE, BOARD_PAGE = 500, 200
"""The longest parts that a server gives."""


class Client:
    """A participant's client of the server at ``base_url``; ``token`` from `create_token` or the web pages.

    ``timeout``: seconds until the server must take a connection or a part of a file; scoring may take longer.
    ``retries``: how passing faults are met, by default for a few seconds, and with uploads for the time that a server
    may take to restart; what could count twice is never sent twice. ``cache``: a folder in which answers that rarely
    change are kept between processes. Safe to use from several threads.

    Refusals are raised as the `ladderboard.HostingError` of their code, with the server's ``code``, ``details``,
    ``request_id`` and ``retry_after``; a bad file as `ladderboard.SubmissionError` with its problems; where no answer
    came, `ladderboard.UnreachableError`.

    Examples
    --------
    >>> with Client("https://board.example.org", token="lb_…") as client:  # doctest: +SKIP
    ...     answer = client.submit("whales", "predictions.csv", note="larger network")
    ...     print(answer.release.board_value, answer.release.improved, answer.quota.left)
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        timeout: float = SECONDS,
        retries: Retries | None = None,
        cache: Path | None = None,
    ) -> None:
        self._connection = Connection(base_url, token=token, timeout=timeout, retries=retries or Retries())
        self._patience = retries or PATIENT
        self._kept = ETagCache(cache)
        self._formats: dict[bytes, SubmissionFormat] = {}

    @property
    def base_url(self) -> str:
        return self._connection.base_url

    def close(self) -> None:
        """Close the connections; a ``with`` block does this by itself."""
        self._connection.close()

    # -- people -------------------------------------------------------------------------------------------------------

    def sign_up(self, name: str, password: str, *, code: str | None = None) -> AccountBody:
        """Create an account; ``code`` if the server requires one."""
        given = {"name": name, "password": password, **({} if code is None else {"code": code})}
        return self._send(AccountBody, "POST", f"{PREFIX}/accounts", given)

    def create_token(
        self,
        name: str,
        password: str,
        *,
        label: str = "",
        scopes: Sequence[Scope] | None = None,
        days: int | None = 180,
    ) -> NewTokenBody:
        """Create a token for programs; its secret is shown only this once. ``days`` None: until it is revoked."""
        wanted = None if scopes is None else list(scopes)
        given = {"name": name, "password": password, "label": label, "scopes": wanted, "days": days}
        return self._send(NewTokenBody, "POST", f"{PREFIX}/tokens", given)

    def sign_in(self, name: str, password: str, *, label: str = "ladderboard.client") -> NewTokenBody:
        """Create a token and use it from now on."""
        made = self.create_token(name, password, label=label)
        self._connection.token = made.token
        return made

    def me(self) -> MeBody:
        """Get the signed-in user and their teams."""
        return self._get(MeBody, f"{PREFIX}/me")

    def revoke_token(self, token_id: str) -> None:
        """Revoke one of the user's tokens."""
        self._connection.send("DELETE", f"{PREFIX}/tokens/{_quote(token_id)}", is_repeatable=True)

    # -- competitions and teams ---------------------------------------------------------------------------------------

    def competitions(self) -> Iterator[CompetitionSummaryBody]:
        """List the competitions that the user may see."""
        return self._pages(CompetitionSummaryBody, f"{PREFIX}/competitions")

    def competition(self, slug: str) -> CompetitionBody:
        """Get one competition: its rules, and the user's team and quota."""
        return self._get(CompetitionBody, _of(slug))

    def create_team(self, slug: str, name: str) -> TeamBody:
        """Create a team with the user as its first member."""
        return self._send(TeamBody, "POST", f"{_of(slug)}/teams", {"name": name})

    def team(self, slug: str) -> TeamBody:
        """Get the user's team with its members and quota."""
        return self._get(TeamBody, f"{_of(slug)}/team")

    def invite(self, slug: str, *, merge: bool = False) -> NewInvitationBody:
        """Create an invitation for one person; with ``merge``, offer the whole team to another one."""
        path = f"{_of(slug)}/teams/{_quote(self.team(slug).name)}/invitations"
        return self._send(NewInvitationBody, "POST", path, {"kind": "merge" if merge else "join"})

    def join(self, code: str) -> TeamBody:
        """Join a team with the code of an invitation, which knows its competition."""
        return self._send(TeamBody, "POST", f"{PREFIX}/invitations/accept", {"code": code})

    def take_in(self, slug: str, code: str) -> TeamBody:
        """Merge another team into the user's team with the code of its offer."""
        path = f"{_of(slug)}/teams/{_quote(self.team(slug).name)}/merge"
        return self._send(TeamBody, "POST", path, {"code": code})

    def leave(self, slug: str) -> None:
        """Leave the team; another team gives no fresh start."""
        self._connection.send("DELETE", f"{_of(slug)}/team")

    # -- submitting ---------------------------------------------------------------------------------------------------

    def format(self, slug: str) -> "SubmissionFormat":
        """Get the submission format; downloaded once, then only revalidated."""
        described = self._fetch_content(f"{_of(slug)}/format")
        sample = self.sample_submission(slug)
        key = hashlib.sha256(described + sample).digest()
        if key not in self._formats:
            self._formats = {key: read_format(described, sample)}
        return self._formats[key]

    def sample_submission(self, slug: str) -> bytes:
        """Get a valid CSV file with the same prediction in every row."""
        return self._fetch_content(f"{_of(slug)}/sample-submission")

    def validate(self, slug: str, file: FileLike, *, name: str | None = None) -> "Predictions":
        """Check a file here as the server will; raises `ladderboard.SubmissionError` with all problems."""
        from ladderboard.tabular import read_predictions

        content, shown = read_whole(file, name=name)
        return read_predictions(content, self.format(slug), name=shown)

    @overload
    def submit(
        self,
        slug: str,
        file: FileLike,
        *,
        note: str = "",
        training_score: float | None = None,
        name: str | None = None,
        idempotency_key: str | None = None,
        wait: Literal[True] = True,
        progress: Progress | None = None,
        told: Told | None = None,
    ) -> ScoredBody: ...

    @overload
    def submit(
        self,
        slug: str,
        file: FileLike,
        *,
        note: str = "",
        training_score: float | None = None,
        name: str | None = None,
        idempotency_key: str | None = None,
        wait: bool,
        progress: Progress | None = None,
        told: Told | None = None,
    ) -> ScoredBody | JobBody: ...

    def submit(
        self,
        slug: str,
        file: FileLike,
        *,
        note: str = "",
        training_score: float | None = None,
        name: str | None = None,
        idempotency_key: str | None = None,
        wait: bool = True,
        progress: Progress | None = None,
        told: Told | None = None,
    ) -> ScoredBody | JobBody:
        """Submit a file and return the server's answer.

        The idempotency key (a new one by default) makes it safe to send the file again where no answer came: one key
        is one attempt. ``wait``: for a server that is busy or restarts, and for a submission's turn in the queue;
        without, the server's first word is the answer, which is a `JobBody` where the submission is queued.
        ``progress``: called with the bytes sent and the bytes there are; ``told``: with the job while it is queued.

        Raises `ladderboard.NotScoredError` where a queued submission could not be scored.
        """
        fields: dict[str, Any] = {"note": note} if note else {}
        if training_score is not None:
            fields["training_score"] = repr(float(training_score))
        headers = {"Idempotency-Key": idempotency_key or secrets.token_hex(16)}
        with open_upload(file, name=name, progress=progress) as upload:
            answer = self._connection.send_made(
                lambda: self._connection.request(
                    "POST",
                    f"{_of(slug)}/submissions",
                    headers=headers,
                    data=fields,
                    files={"file": (upload.name, upload)},
                ),
                is_repeatable=True,
                retries=self._patience if wait else ONCE,
            )
        found = read_answer(read_json(answer))
        if isinstance(found, ScoredBody):
            return found
        refuse_failed(found)
        return self.wait_for(slug, found.id, told=told) if wait else found

    def wait_for(self, slug: str, submission_id: str, *, told: Told | None = None) -> ScoredBody:
        """Wait until a queued submission is scored, and return its answer; raises `ladderboard.NotScoredError`."""
        path = f"{_of(slug)}/submissions/{_quote(submission_id)}"
        return wait_until_scored(lambda: read_json(self._connection.get(path)), told=told)

    def submissions(self, slug: str) -> Iterator[SubmissionBody]:
        """List the team's submissions, newest first."""
        return self._pages(SubmissionBody, f"{_of(slug)}/submissions")

    def submission(self, slug: str, submission_id: str) -> SubmissionBody | JobBody:
        """Get one of the team's submissions; a `JobBody` where it is not scored yet, or could not be."""
        told = read_json(self._connection.get(f"{_of(slug)}/submissions/{_quote(submission_id)}"))
        is_scored = not isinstance(told, dict) or told.get("status") == "scored"
        return read_response(SubmissionBody, told) if is_scored else read_response(JobBody, told)

    def submitted_file(self, slug: str, submission_id: str) -> bytes:
        """Download a submission's file as it was sent."""
        return self._connection.get(f"{_of(slug)}/submissions/{_quote(submission_id)}/file").content

    def program_log(self, slug: str, submission_id: str) -> str:
        """Read the log of a submitted program's run on the public sample."""
        return self._connection.get(f"{_of(slug)}/submissions/{_quote(submission_id)}/log").text

    # -- boards -------------------------------------------------------------------------------------------------------

    def leaderboard(self, slug: str) -> Iterator[StandingBody]:
        """List the public board, best first, one page per request."""
        for page in self.leaderboard_pages(slug):
            yield from page.items

    def leaderboard_pages(self, slug: str, *, per_page: int = BOARD_PAGE) -> Iterator[LeaderboardBody]:
        """List the public board by pages, each with the board's metric, status and number of rows."""
        return self._parts(LeaderboardBody, f"{_of(slug)}/leaderboard", {"per_page": per_page})

    def finals(self, slug: str) -> FinalsBody:
        """Get the team's submissions that count in the end."""
        return self._get(FinalsBody, f"{_of(slug)}/finals")

    def pick_finals(self, slug: str, submissions: Sequence[str]) -> FinalsBody:
        """Select the team's submissions that count in the end; an empty selection restores the default."""
        given = {"submissions": list(submissions)}
        return self._send(FinalsBody, "PUT", f"{_of(slug)}/finals", given, is_repeatable=True)

    def private_leaderboard(self, slug: str) -> PrivateLeaderboardBody:
        """Get the private board; raises `ladderboard.NotFoundError` before the reveal."""
        return self._get(PrivateLeaderboardBody, f"{_of(slug)}/private-leaderboard")

    def ledger(self, slug: str) -> Iterator[LedgerEntryBody]:
        """List the public ledger, oldest first; the team's own entries include what was sealed."""
        for part in self._parts(LedgerBody, f"{_of(slug)}/ledger", {"limit": PAGE}):
            yield from part.items

    # -- asking -------------------------------------------------------------------------------------------------------

    def _get(self, kind: type[Item], path: str) -> Item:
        return read_response(kind, read_json(self._connection.get(path)))

    def _send(self, kind: type[Item], method: str, path: str, given: Any, *, is_repeatable: bool = False) -> Item:
        answer = self._connection.send(method, path, json=given, is_repeatable=is_repeatable)
        return read_response(kind, read_json(answer))

    def _pages(self, kind: type[Item], path: str) -> Iterator[Item]:
        """List every item of a paged resource, one page per request."""
        for page in self._parts(Page[kind], path, {"limit": PAGE}):  # type: ignore[valid-type]  # made at run time
            yield from page.items

    def _parts(self, kind: type[Part], path: str, asked: dict[str, Any]) -> Iterator[Part]:
        following: str | None = ""
        while following is not None:
            # Only what follows the question mark: a proxy may have put the server under another path.
            asked = dict(parse_qsl(urlsplit(following).query)) or asked
            part = read_response(kind, read_json(self._connection.get(path, params=asked)))
            yield part
            following = part.next

    def _fetch_content(self, path: str) -> bytes:
        url = f"{self.base_url}{path}"
        answer = self._connection.get(path, headers=self._kept.headers(url))
        is_unchanged = answer.status_code == HTTPStatus.NOT_MODIFIED
        return self._kept.content(url, is_unchanged=is_unchanged, headers=answer.headers, content=answer.content)

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _of(slug: str) -> str:
    return f"{PREFIX}/competitions/{_quote(slug)}"


def _quote(part: str) -> str:
    """Quote a part of an address, so that it never becomes another address."""
    return quote(part, safe="").replace(".", "%2E") if part.strip(".") == "" else quote(part, safe="")
