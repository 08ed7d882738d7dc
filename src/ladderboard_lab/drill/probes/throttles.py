"""The probe of rate limits, with a server's default settings."""

import secrets
from collections.abc import Callable

from ladderboard_lab.drill.probe_context import LocalProbeContext, ProbeResult

TOO_MANY = 429
MOST_TRIES = 200


def throttles(context: LocalProbeContext) -> ProbeResult:
    """Guessing a password and making accounts without end are refused, and the owner of the account is let in."""
    with context.serve_copy("throttled", environment={}) as usual:
        # Signed up on the other server, whose limits are off: both have one database.
        owner = context.sign_up("throttled")
        http = owner.http
        http.headers.pop("Authorization")
        http.base_url = usual.url
        guesses = _count_until_refused(
            lambda: http.post("/api/v1/tokens", json={"name": owner.team, "password": secrets.token_hex(8)}).status_code
        )
        # Refused for its password and counted all the same: the slow hash is not needed here.
        sign_ups = _count_until_refused(
            lambda: (
                http.post(
                    "/api/v1/accounts", json={"name": f"new-{secrets.token_hex(4)}", "password": "short"}
                ).status_code
            )
        )
    holds = guesses is not None and sign_ups is not None
    return ProbeResult(
        "throttles",
        holds,
        f"wrong passwords refused after {guesses or 'never'}, sign-ups from one address after {sign_ups or 'never'}",
    )


def _count_until_refused(ask: Callable[[], int]) -> int | None:
    for number in range(MOST_TRIES):
        if ask() == TOO_MANY:
            return number
    return None
