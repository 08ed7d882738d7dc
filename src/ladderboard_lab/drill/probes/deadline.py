"""The deadline probe: only submissions that arrive in time count."""

import http.client
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import ladderboard as lb
from ladderboard_lab.drill.http_participants import HttpParticipant, write_csv
from ladderboard_lab.drill.probe_context import LocalProbeContext, ProbeResult

SHORTEST_LEAD, TRIES = 5.0, 5
"""Seconds from writing the copy to its deadline."""
MARGIN = 3
"""The lead is so many times what starting a server took the last time: on a busy machine that may be a minute."""
POLL_SECONDS = 0.1
BEGUN_BEFORE = timedelta(seconds=2)
"""The deadline, when the slow upload begins."""


def deadline(context: LocalProbeContext) -> ProbeResult:
    """Before it 201, after it 409 and nothing on the board changes; an upload that began in time counts."""
    account, needed = context.sign_up("on time"), context.server.start_seconds
    lead = SHORTEST_LEAD
    for number in range(TRIES):
        lead, began = max(lead, MARGIN * needed), time.monotonic()
        seen = _probe_at_the_deadline(context, account, lead, suffix=f"deadline-{number}")
        if seen is not None:
            return seen
        needed = time.monotonic() - began
    return ProbeResult("deadline", False, f"the server took more than {lead:.0f} s to start: there was no time to try")


def _probe_at_the_deadline(
    context: LocalProbeContext, account: HttpParticipant, lead: float, *, suffix: str
) -> ProbeResult | None:
    moment = datetime.now(UTC) + timedelta(seconds=lead)
    with (
        context.serve_copy(suffix, deadline=moment.isoformat()) as timed,
        closing(account.switch_server(timed.url, timed.slug)) as participant,
    ):
        try:
            participant.client.create_team(timed.slug, participant.team)
        except lb.DeadlinePassedError:
            return None
        early, slow, late = (write_csv(participant.format, timed.draw_guesses()) for _ in range(3))
        before = participant.post_file(early).status_code
        if before == 409:
            return None
        # Not at once: a server does not wait for the rest of an upload without end.
        _sleep_until(moment - BEGUN_BEFORE)
        upload = SlowUpload.begin(participant, slow)
        if datetime.now(UTC) > moment - BEGUN_BEFORE / 2:
            upload.connection.close()
            return None  # too close to say that it arrived in time
        _sleep_until(moment)
        board = participant.get("leaderboard").json()["items"]
        after = participant.post_file(late).status_code
        unchanged = participant.get("leaderboard").json()["items"] == board
        begun_in_time = upload.finish()
    holds = (before, after, begun_in_time, unchanged) == (201, 409, 201, True)
    words = f"before {before}, after {after}, begun before and ended after {begun_in_time}"
    return ProbeResult("deadline", holds, words + ("" if unchanged else "; a refused file changed the board"))


def _sleep_until(moment: datetime) -> None:
    while datetime.now(UTC) <= moment:
        time.sleep(POLL_SECONDS)


@dataclass(frozen=True, eq=False)
class SlowUpload:
    """A request whose headers and first half have been sent."""

    connection: http.client.HTTPConnection
    rest: bytes

    @classmethod
    def begin(cls, participant: HttpParticipant, content: bytes) -> "SlowUpload":
        boundary = "drill-boundary"
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="slow.csv"\r\n\r\n'
        fields = "".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in participant.requirements.fields().items()
        )
        body = fields.encode() + head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        address = urlsplit(participant.client.base_url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
        connection.putrequest("POST", f"/api/v1/competitions/{participant.slug}/submissions")
        connection.putheader("Authorization", f"Bearer {participant.token}")
        connection.putheader("Content-Type", f"multipart/form-data; boundary={boundary}")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        half = len(body) // 2
        connection.send(body[:half])
        return cls(connection, body[half:])

    def finish(self) -> int:
        """Send the other half and return the response's status."""
        self.connection.send(self.rest)
        status = self.connection.getresponse().status
        self.connection.close()
        return status
