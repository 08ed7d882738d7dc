"""What the organiser's pages say: the meter and its meaning, hours, flags, and the next step of a competition."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from markupsafe import Markup

from ladderboard.hosting.flags import count_flags, list_flags
from ladderboard.hosting.holdout_health import HOURS, HoldoutHealth, holdout_health
from ladderboard.hosting.host import Host
from ladderboard.hosting.similarity import KINDS
from ladderboard.web import charts
from ladderboard.web.pages.scene import Scene
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
    phase_sentence: str
    steps: tuple[Step, ...]
    export: str
    folder: str


def dashboard_view(host: Host, scene: Scene) -> Desk:
    """Everything on the dashboard."""
    health = holdout_health(host, scene.slug)
    rows, _total = list_flags(host, scene.slug, limit=FEW_FLAGS)
    folder = scene.hosted.competition.folder
    return Desk(
        base=f"{scene.path}/organise",
        attempts=health.attempts,
        teams=health.teams,
        flags=health.flags,
        hours=charts.submissions_per_hour(_bars(scene, health)) if health.hours else Markup(""),
        hours_sentence=_hours_sentence(health),
        bits="–" if health.bits is None else f"{health.bits:,.0f}",
        meter=charts.leakage_meter(health.bits, limit=health.bits_limit, overfit_bound=health.overfit_bound),
        meter_sentences=tuple(_meter_sentences(health)),
        suspects=tuple(
            Suspect(row.team, row.kind, KINDS.get(row.kind, row.kind), row.number)
            for row in count_flags(host, scene.slug)[:MOST_SUSPECTS]
        ),
        newest=flag_lines(scene, rows),
        phase_sentence=_phase_sentence(scene),
        steps=tuple(steps_of(scene)),
        export=f"/api/v1/competitions/{scene.slug}/export",
        folder="my-competition" if folder is None else folder.name,
    )


def flag_lines(scene: Scene, rows: Sequence[Any]) -> tuple[FlagLine, ...]:
    """Flags from their rows."""
    return tuple(
        FlagLine(
            id=row.id,
            at=scene.in_zone(row.at),
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


def steps_of(scene: Scene) -> Iterable[Step]:
    """What an organiser can decide now, the usual way first."""
    phase, rules = scene.phase.name, scene.hosted.rules
    if phase in ("open", "upcoming", "spent"):
        yield Step("freeze", _("Close now"), _("Nothing more is scored; what arrived before still counts."), False)
    if phase == "closed":
        words = _("Computes the private board on the finals. Picks cannot be changed any more.")
        yield Step("finalize", _("Finalize"), words, True)
        if rules.deadline is None or scene.now <= rules.deadline:
            yield Step("unfreeze", _("Open again"), _("Takes back that you closed it."), False)
    if phase == "finalized" and rules.reveal != "never":
        words = _("Shows the private board to everybody, and publishes what the seals were made of.")
        yield Step("reveal", _("Reveal"), words, True)


def _phase_sentence(scene: Scene) -> str:
    sentences = {
        "upcoming": _("The competition has not opened yet."),
        "open": _("The competition is open."),
        "spent": _("The holdout is spent: it has told all that it may tell."),
        "closed": _("The competition is closed; the private board is not computed yet."),
        "finalized": _("The private board is computed; only organisers see it."),
        "revealed": _("The results are public."),
    }
    return sentences[scene.phase.name]


def _bars(scene: Scene, health: HoldoutHealth) -> list[charts.HourBar]:
    """Every hour of the last seven days, those without submissions too."""
    known = {hour.begins: hour.submissions for hour in health.hours}
    last = scene.now.replace(minute=0, second=0, microsecond=0)
    starts = [last - timedelta(hours=back) for back in range(HOURS - 1, -1, -1)]
    return [charts.HourBar(scene.in_zone(start), known.get(start, 0), 0) for start in starts]


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
