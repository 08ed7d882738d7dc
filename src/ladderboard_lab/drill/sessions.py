"""Recorded sessions: every request of a participant in a fixed order, with comparable responses."""

import calendar
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladderboard_lab.drill.http_participants import HttpParticipant

if TYPE_CHECKING:
    import httpx

API_READS = (
    "", "/format", "/sample-submission", "/team", "/finals", "/submissions", "/leaderboard", "/leaderboard?format=csv",
    "/leaderboard?per_page=1&page=2", "/private-leaderboard", "/ledger", "/ledger?limit=3", "/ledger/publication",
    "/ledger/publication/submissions", "/export", "/organise/health", "/organise/flags", "/webhooks",
)  # fmt: skip
PAGE_READS = (
    "", "/leaderboard", "/embed", "/data", "/rules", "/submit", "/submissions", "/team", "/results", "/organise",
)  # fmt: skip

LOG_SECONDS, POLL_SECONDS = 60.0, 0.01
"""How long the lines are waited for."""
REQUEST_ID = re.compile(r"req-[ab]-\d+")

DROPPED_HEADERS = frozenset({"date", "x-request-id", "content-length", "set-cookie"})
"""Times and ids; the length is compared after those are taken out of the body."""

_MAY_DIFFER = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r"\d{4}-\d\d-\d\d"), "DAY"),
    (re.compile(rf"\d\d? (?:{'|'.join(calendar.month_name[1:])}) \d{{4}}"), "DAY"),
    (re.compile(r"\d\d?:\d\d(:\d\d)?"), "CLOCK"),
    (re.compile(r"[0-9a-f]{12,}"), "HEX"),
    (REQUEST_ID, "REQUEST"),
)


@dataclass(frozen=True)
class RecordedResponse:
    """A response without what may legitimately differ, such as times and ids."""

    request: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: str
    release: str
    """What was released, digit for digit; empty where nothing was."""


@dataclass(eq=False)
class RecordedSession:
    """The session of a participant in one of two twins; ``side`` marks its requests in the server's log."""

    participant: HttpParticipant
    pages: "httpx.Client"
    slug: str
    side: str
    requests: int = 0

    def record_responses(self, stream: tuple[bytes, ...]) -> Iterator[RecordedResponse]:
        """Record every response, one at a time, so that two sessions can run in step."""
        own, first = f"/competitions/{self.slug}", ""
        yield self._ask("POST", f"/api/v1{own}/teams", json={"name": "twin"})
        for content in (*stream, b"", b"id\n1\n", b"\xff\xfe", stream[0][: len(stream[0]) // 2] if stream else b"x"):
            files, fields = {"file": ("predictions.csv", content)}, self.participant.requirements.fields()
            yield self._ask("POST", f"/api/v1{own}/submissions", files=files, data=fields)
            first = first or self._last_id
        for path in API_READS:
            yield self._ask("GET", f"/api/v1{own}{path}")
        for path in (f"/submissions/{first}", f"/submissions/{first}/file") if first else ():
            yield self._ask("GET", f"/api/v1{own}{path}")
        yield self._ask("GET", f"/api/v1{own}/leaderboard")
        yield self._ask("GET", f"/api/v1{own}/leaderboard", headers={"If-None-Match": self._last_tag})
        for path in PAGE_READS:
            yield self._ask("GET", f"{own}{path}", through=self.pages)
        if first:
            yield self._ask("GET", f"{own}/submissions/{first}", through=self.pages)

    _last_id: str = ""
    _last_tag: str = ""

    def _ask(self, method: str, path: str, *, through: "httpx.Client | None" = None, **given: Any) -> RecordedResponse:
        self.requests += 1
        headers = {"X-Request-Id": self.request_id(self.requests), **given.pop("headers", {})}
        answer = (through or self.participant.http).request(method, path, headers=headers, **given)
        self._last_tag = answer.headers.get("etag", self._last_tag)
        told = _read_json(answer)
        self._last_id = str(told.get("id", "")) if method == "POST" and "release" in told else self._last_id
        shown = (name for name in sorted(answer.headers.items()) if name[0] not in DROPPED_HEADERS)
        return RecordedResponse(
            request=f"{method} {self._plain(path)}",
            status=answer.status_code,
            headers=tuple((name, self._plain(value)) for name, value in shown),
            body=self._plain(answer.text),
            release=json.dumps(told.get("release", "")),
        )

    def request_id(self, number: int) -> str:
        return f"req-{self.side}-{number:05}"

    def log_lines(self, log: Path) -> list[str]:
        """Read the server's log lines about these requests, in the order in which they were sent, without times."""
        lines = [json.loads(line) for line in self._read_log(log) if f'"req-{self.side}-' in line]
        lines.sort(key=lambda line: str(line["request_id"]))
        for line in lines:
            line.pop("at", None)
            line.pop("duration_ms", None)
        return [self._plain(json.dumps(line, sort_keys=True)) for line in lines]

    def _read_log(self, log: Path) -> list[str]:
        """Wait for the log lines of all requests, each of which is written after its response; return all lines."""
        sent = {self.request_id(number) for number in range(1, self.requests + 1)}
        until = time.monotonic() + LOG_SECONDS
        while True:
            lines = [line for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
            if sent <= set(REQUEST_ID.findall("".join(lines))) or time.monotonic() > until:
                return lines
            time.sleep(POLL_SECONDS)

    def _plain(self, text: str) -> str:
        text = text.replace(self.slug, "SLUG")
        for pattern, word in _MAY_DIFFER:
            text = pattern.sub(word, text)
        return text


def sign_in_to_pages(base_url: str, name: str, password: str) -> "httpx.Client":
    """Sign in to the web pages and return the HTTP client."""
    import httpx

    http = httpx.Client(base_url=base_url, timeout=60, verify=False, headers={"Accept": "text/html"})  # noqa: S501 - plain HTTP on loopback
    token = re.search(r'name="csrf" value="([^"]+)"', http.get("/sign-in").text)
    assert token is not None, "the form for signing in has a hidden token"
    http.post("/sign-in", data={"name": name, "password": password, "csrf": token[1], "next": "/"})
    return http


def _read_json(answer: "httpx.Response") -> dict[str, Any]:
    if not answer.headers.get("content-type", "").startswith("application/json"):
        return {}
    told = answer.json()
    return told if isinstance(told, dict) else {}
