"""A drill against a running server, of which only public facts are known."""

from contextlib import closing
from ipaddress import ip_address
from urllib.parse import urlsplit

import numpy as np

import ladderboard as lb
from ladderboard.client import Client
from ladderboard.server.competitions.records import CompetitionBody, MechanismBody
from ladderboard.tabular import SubmissionFormat
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
            f"{url} is not on this machine, and a drill creates accounts and sends many files. If it is your own "
            "test server, add --yes-this-is-my-server"
        )
    with Client(url) as client:
        slug = competition or _find_only_competition(client)
        rules, wanted = client.competition(slug), client.format(slug)
    baseline = rules.baseline
    if baseline is None:
        raise lb.ParameterError(
            f"{slug} shows no scores before the reveal, so there is nothing to attack from outside; drill its folder"
        )
    if wanted.takes_classes and not wanted.classes:
        raise lb.ParameterError(
            f"{slug} does not tell its classes, so no file can be made from outside; drill its folder"
        )
    context = _make_context(url, rules, wanted, baseline=baseline, code=code, seed=options.seed)
    ranks = (rules.mechanism.ranks or 0) if context.ranked else 0
    target = BlindTarget(context.briefing, wanted, baseline, _make_mechanism(rules.mechanism), ranks)
    names, probes = options.choose(tuple(find_attacks(target)), tuple(ANYWHERE))
    with closing(context):
        attack_results, probe_results = run_all(
            context, dict.fromkeys(names, target), {name: ANYWHERE[name] for name in probes}, options
        )
    return DrillReport(
        title=rules.title,
        metric=rules.metric.name,
        mechanism=rules.mechanism.name,
        against=f"the published baseline, {baseline:g}: this server's labels are unknown here",
        attacks=attack_results,
        probes=probe_results,
    )


def _count_classes(wanted: SubmissionFormat) -> int:
    """How many classes there are; two where predictions are about the positive one."""
    return 2 if wanted.positive is not None else len(wanted.classes)


def _make_context(
    url: str, rules: CompetitionBody, wanted: SubmissionFormat, *, baseline: float, code: str | None, seed: int
) -> ProbeContext:
    metric, mechanism = rules.metric, rules.mechanism
    return ProbeContext(
        url,
        rules.slug,
        Briefing(metric.name, metric.lower_is_better, len(wanted.ids), classes=_count_classes(wanted)),
        wanted,
        np.random.default_rng(seed),
        mechanism.instances == "rank" and mechanism.ranks is not None,
        EntryRequirements(code, claim_training_score(mechanism.name, metric.name, baseline)),
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


def _find_only_competition(client: Client) -> str:
    slugs = [one.slug for one in client.competitions()]
    if len(slugs) != 1:
        raise lb.ParameterError(
            f"that server has {len(slugs)} competitions ({', '.join(slugs[:10])}); name one with --competition"
        )
    return slugs[0]


def _make_mechanism(body: MechanismBody) -> "lb.Mechanism | None":
    """Make the mechanism named by the rules; None if it is unknown here."""
    kind = lb.MECHANISMS.get(body.name)
    try:
        return None if kind is None else kind(**body.parameters)
    except (TypeError, lb.ParameterError):  # a newer server's mechanism may have other parameters
        return None
