"""What the organiser's pages say: the meter and its meaning, hours, flags, and the next step of a competition."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from markupsafe import Markup

from ladderboard.hosting.moderation.flags import count_flags, list_flags
from ladderboard.hosting.moderation.similarity import KINDS
from ladderboard.hosting.operations.holdout_health import HOURS, HoldoutHealth, holdout_health
from ladderboard.hosting.services import Services
from ladderboard.web import charts
from ladderboard.web.pages.competition.context import CompetitionContext
from ladderboard.web.text import _, counted

FEW_FLAGS = 5
MOST_SUSPECTS = 8


@dataclass(frozen=True)
class FlagLine:
    """Something to look at."""

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
class Step:
    """A decision that can be taken now."""

    name: str
    label: str
    sentence: str
    is_main: bool


@dataclass(frozen=True)
class Desk:
    """The dashboard."""

    base: str
    attempts: int
    teams: int
    flags: int
    hours: Markup
    hours_sentence: str
    bits: str
    meter: Markup
    meter_sentences: tuple[str, ...]
    suspects: tuple[Suspect, ...]
    newest: tuple[FlagLine, ...]
    status_sentence: str
    steps: tuple[Step, ...]
    export: str
    folder: str


def dashboard_view(services: Services, context: CompetitionContext) -> Desk:
    """Everything on the dashboard."""
    health = holdout_health(services, context.slug)
    rows, _total = list_flags(services, context.slug, limit=FEW_FLAGS)
    folder = context.live.competition.folder
    return Desk(
        base=f"{context.path}/organise",
        attempts=health.attempts,
        teams=health.teams,
        flags=health.flags,
        hours=charts.submissions_per_hour(_bars(context, health)) if health.hours else Markup(""),
        hours_sentence=_hours_sentence(health),
        bits="–" if health.bits is None else f"{health.bits:,.0f}",
        meter=charts.leakage_meter(health.bits, limit=health.bits_limit, overfit_bound=health.overfit_bound),
        meter_sentences=tuple(_meter_sentences(health)),
        suspects=tuple(
            Suspect(row.team, row.kind, KINDS.get(row.kind, row.kind), row.number)
            for row in count_flags(services, context.slug)[:MOST_SUSPECTS]
        ),
        newest=flag_lines(context, rows),
        status_sentence=_status_sentence(context),
        steps=tuple(steps_of(context)),
        export=f"/api/v1/competitions/{context.slug}/export",
        folder="my-competition" if folder is None else folder.name,
    )


def flag_lines(context: CompetitionContext, rows: Sequence[Any]) -> tuple[FlagLine, ...]:
    """Flags from their rows."""
    return tuple(
        FlagLine(
            id=row.id,
            at=context.in_zone(row.at),
            team=row.team,
            words=KINDS.get(row.kind, row.kind),
            other="" if row.other_team in (None, row.team) else row.other_team,
            detail=", ".join(_measured(name, value) for name, value in row.detail.items() if value != 0),
            is_dismissed=row.dismissed_at is not None,
        )
        for row in rows
    )


def _measured(name: str, value: Any) -> str:
    """What a flag was measured by.

    >>> _measured("rows", 1), _measured("submissions", 8), _measured("correlation", 0.07)
    ('1 row', '8 submissions', 'correlation 0.07')
    """
    if name == "rows":
        return counted("{n} row", "{n} rows", value)
    if name == "submissions":
        return counted("{n} submission", "{n} submissions", value)
    if name == "correlation":
        return _("correlation {value}").format(value=value)
    return f"{name.replace('_', ' ')} {value}"


def steps_of(context: CompetitionContext) -> Iterable[Step]:
    """What an organiser can decide now, the usual way first."""
    status, rules = context.status, context.live.rules
    if status in ("open", "upcoming", "spent"):
        yield Step("freeze", _("Close now"), _("Nothing more is scored; what arrived before still counts."), False)
    if status == "closed":
        words = _("Computes the private board on the finals. Picks cannot be changed any more.")
        yield Step("finalize", _("Finalize"), words, True)
        if rules.deadline is None or context.now <= rules.deadline:
            yield Step("unfreeze", _("Open again"), _("Takes back that you closed it."), False)
    if status == "finalized" and rules.reveal != "never":
        words = _("Shows the private board to everybody, and publishes what the seals were made of.")
        yield Step("reveal", _("Reveal"), words, True)


def _status_sentence(context: CompetitionContext) -> str:
    sentences = {
        "upcoming": _("The competition has not opened yet."),
        "open": _("The competition is open."),
        "spent": _("The holdout is spent: it has told all that it may tell."),
        "closed": _("The competition is closed; the private board is not computed yet."),
        "finalized": _("The private board is computed; only organisers see it."),
        "revealed": _("The results are public."),
    }
    return sentences[context.status]


def _bars(context: CompetitionContext, health: HoldoutHealth) -> list[charts.HourBar]:
    """Every hour of the last seven days, those without submissions too."""
    known = {hour.begins: hour.submissions for hour in health.hours}
    last = context.now.replace(minute=0, second=0, microsecond=0)
    starts = [last - timedelta(hours=back) for back in range(HOURS - 1, -1, -1)]
    return [charts.HourBar(context.in_zone(start), known.get(start, 0), 0) for start in starts]


def _hours_sentence(health: HoldoutHealth) -> str:
    return counted(
        "One submission in the last seven days.",
        "{n} submissions in the last seven days.",
        sum(hour.submissions for hour in health.hours),
    )


def _meter_sentences(health: HoldoutHealth) -> Iterable[str]:
    if health.bits is None:
        yield _("This mechanism answers with noise; what it tells is not counted in bits.")
        return
    if health.bits_limit is None:
        yield _("{bits} bits told so far, to all teams together; the rules set no limit.").format(
            bits=f"{health.bits:,.0f}"
        )
    else:
        yield _("{bits} of at most {limit} bits told; at the limit the board tells no more.").format(
            bits=f"{health.bits:,.0f}", limit=f"{health.bits_limit:,.0f}"
        )
    if health.largest_bits and health.largest_bound is not None:
        yield _(
            "The team that was told the most got {bits} bits: with 95 % confidence no score of that team is further "
            "than {bound} from its true one, however it used them."
        ).format(bits=f"{health.largest_bits:,.0f}", bound=f"{health.largest_bound:.3f}")
