"""Probes: single tricks against a live server, each with a verdict.

`PROBES` names every one of them. Labels and split are used only to judge what came back.
"""

from collections.abc import Callable
from typing import Any

from ladderboard_lab.drill.probe_context import ProbeContext, ProbeResult
from ladderboard_lab.drill.probes.deadline import deadline
from ladderboard_lab.drill.probes.files import bad_rows, constant_but_one, no_more_digits, only_some_rows
from ladderboard_lab.drill.probes.races import idempotency, racing, racing_copies
from ladderboard_lab.drill.probes.ranks import flooded_ranks
from ladderboard_lab.drill.probes.teams import other_teams, same_file_of_two_teams, sybils_are_flagged
from ladderboard_lab.drill.probes.throttles import throttles
from ladderboard_lab.drill.side_channels import same_answers, same_times

ANYWHERE: dict[str, Callable[[ProbeContext], ProbeResult]] = {
    probe.__name__: probe
    for probe in (bad_rows, only_some_rows, constant_but_one, no_more_digits, idempotency, other_teams)
}
"""Probes that need to know nothing and stay below the limits that a server has."""

PROBES: dict[str, Callable[[Any], ProbeResult]] = {
    **ANYWHERE,
    **{
        probe.__name__: probe
        for probe in (
            same_file_of_two_teams,
            racing,
            racing_copies,
            sybils_are_flagged,
            flooded_ranks,
            deadline,
            throttles,
            same_answers,
            same_times,
        )
    },
}
"""All, for a copy of one's own."""
