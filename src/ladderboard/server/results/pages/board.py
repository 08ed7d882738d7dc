"""The final results: the private board with paired rank ranges, the shake-up, how much was luck, how to check it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.score_format import ScoreFormat
from ladderboard.core.words import pluralise
from ladderboard.drawing.elements import Drawing
from ladderboard.server import charts
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.pages import Pager, Reader, page_number, pager, show
from ladderboard.server.app.text import moment
from ladderboard.server.boards.views import ON_A_PAGE
from ladderboard.server.competitions.context import CompetitionContext, metric_title, read_context
from ladderboard.server.results.finalizing import ONLY_PUBLIC, read_board
from ladderboard.server.results.luck import ROUGH, ROUGH_BEFORE, luck_in_words
from ladderboard.server.results.private_board import board_in_words
from ladderboard.server.results.private_scores import find_private_format
from ladderboard.server.results.records import LuckBody
from ladderboard.server.services import Services

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class ResultRow:
    """One team of the private board; ``classes`` are those of the stylesheet."""

    classes: str
    rank: str
    is_tied: bool
    team: str
    is_baseline: bool
    could_be_best: bool
    value: str
    range: str
    whisker: Drawing
    public_value: str
    moved: str


@dataclass(frozen=True)
class Verification:
    """How to verify the results: the seal on labels and split, the end of the chain, the commands."""

    commitment: str
    ledger_head: str
    ledger_length: int
    address: str
    publishes_submissions: bool


@dataclass(frozen=True)
class ResultsView:
    """The page."""

    metric: str
    axis: Drawing
    rows: tuple[ResultRow, ...]
    pager: Pager
    units: int
    best_set_sentence: str
    luck: str
    statement: str
    shake_up: Drawing
    has_private_rows: bool
    csv: str
    computed_at: datetime
    version_sentence: str
    is_for_organisers: bool


@router.get("/competitions/{slug}/results")
def results_page(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """The final board; before the reveal a page that says when there will be one."""
    context = read_context(services, slug, person)
    head, checks = context.head("Results"), verification(request, services, context)
    is_organiser = context.may("oversee")
    if context.status == "revealed" or (context.status == "finalized" and is_organiser):
        view = results_view(services, context, page=page_number(request))
        return show(request, "results/results.html", person, head=head, results=view, verify=checks)
    return show(
        request, "results/results_soon.html", person, head=head, sentence=_announce_results(context), verify=checks
    )


def results_view(services: Services, context: CompetitionContext, *, page: int) -> ResultsView:
    """The stored private board as a page shows it."""
    stored = read_board(services, context.slug, sees_all=context.may("oversee"))
    result = stored.result
    rows = result["rows"]
    part = rows[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]
    best = tuple(row["team"] for row in rows if _could_be_best(row))
    version = stored.scoring_version
    private = find_private_format(context.live)
    luck = read_luck(result, private)
    return ResultsView(
        metric=metric_title(result["metric"]),
        axis=charts.rank_axis(_axis(part)),
        rows=result_rows(part, private, context.live.score_format),
        pager=pager(f"{context.path}/results", page=page, pages=-(-len(rows) // ON_A_PAGE)),
        units=result["units"],
        best_set_sentence=_best_sentence(best),
        luck="" if luck is None else luck,
        statement=state_result(result),
        shake_up=draw_shake_up(rows),
        has_private_rows=result["has_private_rows"],
        csv=f"/api/v1/competitions/{context.slug}/private-leaderboard?format=csv",
        computed_at=context.in_zone(stored.computed_at),
        version_sentence="" if version == 1 else f"The solution was corrected; this is version {version}.",
        is_for_organisers=context.status != "revealed",
    )


def verification(request: Request, services: Services, context: CompetitionContext) -> Verification:
    """What is published from the first day on."""
    record = context.record
    base = services.settings.base_url.rstrip("/") or str(request.base_url).rstrip("/")
    return Verification(
        commitment=record.commitment,
        ledger_head=record.ledger_head,
        ledger_length=record.ledger_length,
        address=base + context.path,
        publishes_submissions=context.live.rules.publish_submissions,
    )


def draw_shake_up(rows: list[dict[str, Any]]) -> Drawing:
    """The slope chart of a stored or previewed board, drawn for wide screens and for phones."""
    shifts = [
        charts.Shift(row["team"], row["public_rank"], row["rank"])
        for row in rows
        if row["rank"] is not None and row["public_rank"] is not None
    ]
    return charts.shake_up(shifts) + charts.shake_up(shifts, sheet=charts.NARROW)


def result_rows(part: list[dict[str, Any]], scores: ScoreFormat, public: ScoreFormat) -> tuple[ResultRow, ...]:
    """Rows of a stored or previewed board, on an axis of their own."""
    axis = _axis(part)
    ranks = [row["rank"] for row in part]
    made = []
    for place, row in enumerate(part):
        rank, span = row["rank"], row["rank_range"]
        before, after = ranks[place - 1] if place else None, ranks[place + 1] if place + 1 < len(part) else None
        is_tied = rank is not None and rank in (before, after)
        marks = {
            "tied": is_tied,
            "first": is_tied and rank != before,
            "last": is_tied and rank != after,
            "baseline": row["kind"] == "baseline",
            "mayfirst": _could_be_best(row),
        }
        made.append(
            ResultRow(
                classes=" ".join(name for name, is_so in marks.items() if is_so),
                rank="" if rank is None else f"{rank:,}",
                is_tied=row["is_tied"],
                team=row["team"],
                is_baseline=row["kind"] == "baseline",
                could_be_best=_could_be_best(row),
                value=scores.write(row["value"]),
                range=_range(span),
                whisker=Drawing("")
                if span is None
                else charts.rank_whisker(span["best"], span["worst"], rank=rank, axis=axis),
                public_value=public.write(row["public_value"]),
                moved=_describe_move(row["moved"]),
            )
        )
    return tuple(made)


def _axis(part: list[dict[str, Any]]) -> charts.RankAxis:
    spans = [row["rank_range"] for row in part if row["rank_range"] is not None]
    return charts.RankAxis.over([(span["best"], span["worst"]) for span in spans])


def read_luck(result: Mapping[str, Any], scores: ScoreFormat) -> str | None:
    """The statement of luck of a stored or previewed board; None where it has none."""
    found = result["luck"]
    if found is None:
        return None
    luck = LuckBody(**{**found, "contenders": sum(map(_could_be_best, result["rows"]))})
    is_rough = luck.sentence.endswith((ROUGH, ROUGH_BEFORE))
    return luck_in_words(luck, scores, teams=_count_ranked(result), is_rough=is_rough)


def state_result(result: Mapping[str, Any], *, luck: str | None = None) -> str:
    """State a stored or previewed board's result; ``luck`` only where it is not shown elsewhere."""
    if not result["has_private_rows"]:
        return ONLY_PUBLIC
    rows = [row for row in result["rows"] if row["kind"] == "team"]
    return board_in_words(
        luck,
        moves=[row["moved"] for row in rows if row["moved"] is not None],
        missing=sum(row["value"] is None for row in rows),
        ranked=_count_ranked(result),
    )


def _count_ranked(result: Mapping[str, Any]) -> int:
    return sum(row["kind"] == "team" and row["rank"] is not None for row in result["rows"])


def _could_be_best(row: Mapping[str, Any]) -> bool:
    """Whether the range shown begins at rank 1; also for boards of version 0.1.0, which asked another test."""
    return bool(row["could_be_best"] if row["rank_range"] is None else row["rank_range"]["best"] == 1)


def _range(span: dict[str, int] | None) -> str:
    if span is None:
        return ""
    best, worst = span["best"], span["worst"]
    return f"{best:,}" if best == worst else f"{best:,}–{worst:,}"


def _describe_move(moved: int | None) -> str:
    if not moved:
        return "" if moved is None else "same rank"
    return f"▲\u00a0{moved:,}" if moved > 0 else f"▼\u00a0{-moved:,}"


def _best_sentence(best: tuple[str, ...]) -> str:
    if len(best) == 1:
        return f"With 95 % confidence one team is truly the best: {best[0]}."
    return pluralise("One team could truly be the best.", "{n} teams could truly be the best.", len(best))


def _announce_results(context: CompetitionContext) -> str:
    """Say when results will be published."""
    rules = context.live.rules
    if rules.reveal == "never":
        return "This is a standing benchmark: its private rows stay private, and the public board stays open."
    if context.status in ("closed", "finalized"):
        return "The competition is closed. The results are shown as soon as the organiser reveals them."
    if isinstance(rules.reveal, datetime):
        return f"The results are revealed on {moment(context.in_zone(rules.reveal))}."
    return (
        "The competition is still running. The final board is computed after it closes, on rows that nobody could "
        "test against."
    )
