"""What matters first on the organiser's page, in words: the next step, problems, people, and what was learned."""

from dataclasses import dataclass

from ladderboard.core.bounds import overfit_bound
from ladderboard.core.words import pluralise
from ladderboard.mechanisms.outcomes import format_gain
from ladderboard.server.app.text import duration, moment
from ladderboard.server.competitions.context import CompetitionContext
from ladderboard.server.operations.records import HoldoutHealthBody
from ladderboard.server.operations.rules import read_participation
from ladderboard.server.services import Services


@dataclass(frozen=True)
class Matters:
    """The sentences at the top of the organiser's page."""

    next: str
    problems: tuple[str, ...]
    people: str
    learned: str


def describe_matters(services: Services, context: CompetitionContext, health: HoldoutHealthBody) -> Matters:
    """Describe what an organiser should know first."""
    found = read_participation(services, context.slug)
    people, last = found.people, found.last
    ago = "" if last is None else f" The last submission came {duration(context.now - last)} ago."
    counts = f"{pluralise('One person', '{n} people', people)} in {pluralise('one team', '{n} teams', health.teams)}."
    return Matters(
        next=_say_next(context, health),
        problems=tuple(_list_problems(services, context, health, found.failed)),
        people=counts + ago if people else "Nobody takes part yet.",
        learned=describe_learned(context, health),
    )


def _say_next(context: CompetitionContext, health: HoldoutHealthBody) -> str:
    rules, status = context.live.rules, context.status
    if status == "open" and not health.teams:
        return f"Send your participants the address of this competition: it ends in {context.path}."
    if status == "open" and rules.deadline is not None:
        return f"Nothing to do: it closes by itself on {moment(context.in_zone(rules.deadline))}."
    if status == "upcoming" and rules.opens is not None:
        return f"Nothing to do: it opens by itself on {moment(context.in_zone(rules.opens))}."
    return {
        "upcoming": "Nothing to do.",
        "open": "Nothing to do until you close it: there is no deadline.",
        "spent": "Close it, then finalize: no more scores are shown.",
        "closed": "Finalize: it computes the private board.",
        "finalized": "Look at the private board, then reveal it.",
        "revealed": "Nothing to do: the results are public.",
    }[status]


def _list_problems(
    services: Services, context: CompetitionContext, health: HoldoutHealthBody, failed: int
) -> list[str]:
    found = []
    if context.slug in services.refused_changes:
        found.append("A change in the folder was refused.")
    if context.slug in services.unpublished:
        found.append("The folder has another solution than the one that counts.")
    if failed:
        found.append(pluralise("One submission could not be scored.", "{n} submissions could not be scored.", failed))
    if health.flags:
        found.append(pluralise("One flag to review.", "{n} flags to review.", health.flags))
    return found


def describe_learned(context: CompetitionContext, health: HoldoutHealthBody) -> str:
    """Say whether any team has learned enough from its scores to matter.

    It matters from the smallest gain that the board shows at a first entry. What a team was told widens the bound of
    its overfitting: by less than that gain, it does not matter.
    """
    yardstick, shown = context.live.yardstick, context.gains.shown
    if not health.largest_bits:
        return "Nobody has learned anything about the hidden answers yet."
    nothing = overfit_bound(0.0, yardstick.hoeffding_units, yardstick.bounds)
    if shown is None or nothing is None or health.largest_bound is None:
        return "What scores have told of the hidden answers cannot be compared with a gain; the bits below count it."
    wider = health.largest_bound - nothing
    facts = (
        f"what the best-informed one was told widens the bound of its overfitting by {format_gain(wider)}; a first "
        f"entry must gain about {format_gain(shown)} to be shown."
    )
    if wider < shown:
        return f"No team has learned enough to matter: {facts}"
    decides = " The private rows decide." if context.live.competition.private is not None else ""
    return f"In the worst case a team has learned enough to matter: {facts}{decides}"
