"""Contents of the organiser's dashboard: the meter, submissions by hour, flags, and the next steps."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ladderboard.core.words import pluralise
from ladderboard.drawing.elements import Drawing
from ladderboard.server import charts
from ladderboard.server.competitions.context import CompetitionContext
from ladderboard.server.moderation.flags import count_flags, list_flags
from ladderboard.server.moderation.records import NamedFlag
from ladderboard.server.moderation.similarity import KINDS
from ladderboard.server.operations.holdout_health import HOURS, measure_health
from ladderboard.server.operations.records import HoldoutHealthBody
from ladderboard.server.services import Services

FEW_FLAGS = 5
MOST_SUSPECTS = 8


@dataclass(frozen=True)
class FlagLine:
    """A row of the table of flags."""

    id: str
    at: datetime
    team: str
    words: str
    other: str
    detail: str
    is_dismissed: bool


@dataclass(frozen=True)
class Suspect:
    """A team and how often it was flagged for what."""

    team: str
    kind: str
    words: str
    number: int


@dataclass(frozen=True)
class NextStep:
    """A decision that the organiser can make now."""

    name: str
    label: str
    sentence: str
    is_main: bool


@dataclass(frozen=True)
class DashboardView:
    """The organiser's dashboard."""

    base: str
    health: HoldoutHealthBody
    hours: Drawing
    hours_sentence: str
    bits: str
    meter: Drawing
    meter_sentences: tuple[str, ...]
    suspects: tuple[Suspect, ...]
    newest: tuple[FlagLine, ...]
    status_sentence: str
    steps: tuple[NextStep, ...]
    export: str
    folder: str
    refused: str
    """Why what changed in the folder is not taken over; empty where all of it is."""
    is_unpublished: bool
    """Whether the folder had another solution than the one that counts when the server started."""


def read_dashboard(services: Services, context: CompetitionContext) -> DashboardView:
    """Read everything the dashboard shows."""
    health = measure_health(services, context.slug)
    newest, _total = list_flags(services.database, context.slug, limit=FEW_FLAGS)
    suspects, _flagged = count_flags(services.database, context.slug, limit=MOST_SUSPECTS)
    folder = context.live.competition.folder
    ends_in_private = context.live.competition.private is not None and context.live.rules.reveal != "never"
    return DashboardView(
        base=f"{context.path}/organise",
        health=health,
        hours=charts.submissions_per_hour(_bars(context, health)) if health.hours else Drawing(""),
        hours_sentence=_hours_sentence(health),
        bits="–" if health.bits is None else f"{health.bits:,.0f}",
        meter=charts.leakage_meter(health.bits, limit=health.bits_limit, overfit_bound=health.overfit_bound),
        meter_sentences=tuple(_meter_sentences(health, ends_in_private=ends_in_private)),
        suspects=tuple(Suspect(one.team, one.kind, KINDS.get(one.kind, one.kind), one.number) for one in suspects),
        newest=describe_flags(context, newest),
        status_sentence=_status_sentence(context),
        steps=tuple(list_steps(context)),
        export=f"/api/v1/competitions/{context.slug}/export",
        folder="my-competition" if folder is None else folder.name,
        refused=services.refused_changes.get(context.slug, ""),
        is_unpublished=context.slug in services.unpublished,
    )


def describe_flags(context: CompetitionContext, flags: Sequence[NamedFlag]) -> tuple[FlagLine, ...]:
    """Describe flags for a table."""
    return tuple(
        FlagLine(
            id=flag.id,
            at=context.in_zone(flag.at),
            team=flag.team,
            words=KINDS.get(flag.kind, flag.kind),
            other="" if flag.other_team in (None, flag.team) else flag.other_team or "",
            detail=", ".join(_describe_measure(name, value) for name, value in flag.detail.items() if value != 0),
            is_dismissed=flag.dismissed_at is not None,
        )
        for flag in flags
    )


def _describe_measure(name: str, value: Any) -> str:
    """Describe what a flag was measured by.

    >>> _describe_measure("rows", 1), _describe_measure("submissions", 8), _describe_measure("correlation", 0.07)
    ('1 row', '8 submissions', 'correlation 0.07')
    """
    if name == "rows":
        return pluralise("{n} row", "{n} rows", value)
    if name == "submissions":
        return pluralise("{n} submission", "{n} submissions", value)
    if name == "correlation":
        return f"correlation {value}"
    return f"{name.replace('_', ' ')} {value}"


def list_steps(context: CompetitionContext) -> Iterable[NextStep]:
    """List what an organiser can decide now, the usual step first."""
    status, rules = context.status, context.live.rules
    if status in ("open", "upcoming", "spent"):
        yield NextStep(
            "freeze", "Close now", "No more submissions are scored; those that arrived before still count.", False
        )
    if status == "closed":
        words = "Computes the private board on the selected submissions. Selections can no longer be changed."
        yield NextStep("finalize", "Finalize", words, True)
        if rules.deadline is None or context.now <= rules.deadline:
            yield NextStep("unfreeze", "Reopen", "Teams can submit again.", False)
    if status == "finalized" and rules.reveal != "never":
        words = "Shows the private board to everybody and publishes the sealed records."
        yield NextStep("reveal", "Reveal", words, True)


def _status_sentence(context: CompetitionContext) -> str:
    sentences = {
        "upcoming": "The competition has not opened yet.",
        "open": "The competition is open.",
        "spent": "The test set is used up: it has released all the information the rules allow.",
        "closed": "The competition is closed; the private board is not computed yet.",
        "finalized": "The private board is computed; only organisers see it.",
        "revealed": "The results are public.",
    }
    return sentences[context.status]


def _bars(context: CompetitionContext, health: HoldoutHealthBody) -> list[charts.HourBar]:
    """Every hour of the last seven days, those without submissions too."""
    known = {hour.begins: hour.submissions for hour in health.hours}
    last = context.now.replace(minute=0, second=0, microsecond=0)
    starts = [last - timedelta(hours=back) for back in range(HOURS - 1, -1, -1)]
    return [charts.HourBar(context.in_zone(start), known.get(start, 0), 0) for start in starts]


def _hours_sentence(health: HoldoutHealthBody) -> str:
    return pluralise(
        "One submission in the last seven days.",
        "{n} submissions in the last seven days.",
        sum(hour.submissions for hour in health.hours),
    )


def _meter_sentences(health: HoldoutHealthBody, *, ends_in_private: bool) -> Iterable[str]:
    if health.bits is None:
        yield "This mechanism adds noise to its scores; the information it releases is not counted in bits."
    else:
        yield "Every score shown tells a little about the hidden labels. Bits measure how much, at most."
        yield _count_bits(health.bits, health.bits_limit)
        if health.largest_bits and health.largest_bound is not None:
            yield (
                f"No team has received more than {_write_bits(health.largest_bits)}. Had it used them all against the "
                f"test set, its public score would still be within {health.largest_bound:.3f} of the true one (95 % "
                "confidence). That is the worst case, not an estimate."
            )
    if ends_in_private:
        yield "The final result does not suffer: its private rows had no part in these scores."


def _count_bits(bits: float, limit: float | None) -> str:
    if limit is None:
        return f"So far all teams together have received {_write_bits(bits)}; the rules set no limit."
    return (
        f"So far all teams together have received {bits:,.0f} of the {limit:,.0f} bits that the rules allow; at the "
        "limit no more scores are shown."
    )


def _write_bits(bits: float) -> str:
    return pluralise("{n} bit", "{n} bits", round(bits))
