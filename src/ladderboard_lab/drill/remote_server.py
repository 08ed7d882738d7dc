"""A drill against a server that runs already, such as one's own test server: nothing is known but what it tells."""

from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from urllib.parse import urlsplit

import numpy as np

import ladderboard as lb
from ladderboard.client import Client
from ladderboard.wire.competitions import MechanismBody
from ladderboard_lab.drill.http_participants import EntryRequirements, claim_training_score
from ladderboard_lab.drill.probe_context import ProbeContext
from ladderboard_lab.drill.probes import ANYWHERE
from ladderboard_lab.drill.run import DrillOptions, DrillReport, run_all
from ladderboard_lab.drill.targets import BlindTarget, find_attacks
from ladderboard_lab.participant import Briefing


def drill_server(
    url: str,
    options: DrillOptions | None = None,
    *,
    competition: str = "",
    code: str | None = None,
    is_mine: bool = False,
) -> DrillReport:
    """Attack a running server as participants would, within its limits.

    ``competition``: its slug, where there are several; ``code``: for signing up, where it asks for one. Raises
    `ParameterError` for a server that is not on this machine unless ``is_mine``: attacking somebody else's board is no
    drill.
    """
    options = options or DrillOptions()
    if not (is_mine or is_loopback(url)):
        raise lb.ParameterError(
            f"{url} is not on this machine; a drill makes accounts and sends many files. Where it is your own test "
            "server, say so with --yes-this-is-my-server"
        )
    with Client(url) as client:
        slug = competition or _only_competition(client)
        told, wanted = client.competition(slug), client.format(slug)
    briefing = Briefing(told.metric.name, told.metric.lower_is_better, len(wanted.ids), classes=len(wanted.classes))
    requirements = EntryRequirements(code, claim_training_score(told.mechanism.name, told.metric.name, told.baseline))
    ranks = told.mechanism.ranks if told.mechanism.instances == "rank" else None
    target = BlindTarget(briefing, wanted, told.baseline, _mechanism(told.mechanism), ranks or 0)
    names, probes = options.choose(tuple(find_attacks(target)), tuple(ANYWHERE))
    context = ProbeContext(
        url, slug, briefing, wanted, np.random.default_rng(options.seed), ranks is not None, requirements
    )
    with _hanging_up(context):
        attack_results, probe_results = run_all(
            context, dict.fromkeys(names, target), {name: ANYWHERE[name] for name in probes}, options
        )
    return DrillReport(
        title=told.title,
        metric=told.metric.name,
        mechanism=told.mechanism.name,
        against=f"the published baseline, {told.baseline:g}: this server's labels are not known here",
        attacks=attack_results,
        probes=probe_results,
    )


def is_loopback(url: str) -> bool:
    """Whether the address is this machine.

    >>> is_loopback("http://127.0.0.1:8000"), is_loopback("https://board.example.org")
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _only_competition(client: Client) -> str:
    slugs = [one.slug for one in client.competitions()]
    if len(slugs) != 1:
        raise lb.ParameterError(
            f"there are {len(slugs)} competitions on that server ({', '.join(slugs[:10])}); name one with --competition"
        )
    return slugs[0]


def _mechanism(told: MechanismBody) -> "lb.Mechanism | None":
    """The mechanism that the rules name; None for one that is not known here."""
    kind = lb.MECHANISMS.get(told.name)
    try:
        return None if kind is None else kind(**told.parameters)
    except (TypeError, lb.ParameterError):  # a newer server's mechanism may have other parameters
        return None


@contextmanager
def _hanging_up(context: ProbeContext) -> Iterator[None]:
    try:
        yield
    finally:
        context.close()
