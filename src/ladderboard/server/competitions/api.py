"""Competitions: the list, the rules of one, and what a submission to it must look like."""

import json
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request, Response

from ladderboard.server.app.api import Paging, TheServices, tag_response
from ladderboard.server.app.auth import Anyone
from ladderboard.server.app.errors import errors
from ladderboard.server.app.records import Page
from ladderboard.server.competitions import context
from ladderboard.server.competitions.context import CompetitionContext, find_competition
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.records import (
    CompetitionBody,
    CompetitionSummaryBody,
    FormatBody,
    LimitsBody,
    MechanismBody,
    MetricBody,
    TeamRulesBody,
)
from ladderboard.server.results.private_scores import find_private_format
from ladderboard.server.teams.records import BudgetBody

router = APIRouter(prefix="/competitions", tags=["competitions"], responses=errors(401))

UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "what `If-None-Match` names still holds"}}


@router.get("")
def list_competitions(services: TheServices, person: Anyone, paging: Paging) -> Page[CompetitionSummaryBody]:
    """List the competitions you may see, by title."""
    shown = context.list_competitions(services, person)
    part = shown[paging.offset : paging.offset + paging.limit]
    return paging.page([_summary(one) for one in part], len(shown))


@router.get("/{slug}", response_model=CompetitionBody, responses={**errors(404), **UNCHANGED})
def read_competition(slug: str, services: TheServices, person: Anyone, request: Request) -> Response:
    """Return a competition: metric, limits, dates, status, and your team's quota and budget."""
    return _tag_response(request, _body(find_competition(services, person, slug)))


@router.get("/{slug}/format", response_model=FormatBody, responses={**errors(404), **UNCHANGED})
def submission_format(slug: str, services: TheServices, person: Anyone, request: Request) -> Response:
    """Return the submission format."""
    live = find_competition(services, person, slug).live
    shape = (
        live.competition.format if live.competition.programs is None else replace(live.competition.format, takes="file")
    )
    return _tag_response(request, FormatBody(**shape.to_wire()))


@router.get(
    "/{slug}/sample-submission",
    response_class=Response,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}, **errors(404), **UNCHANGED},
)
def sample(slug: str, services: TheServices, person: Anyone, request: Request) -> Response:
    """Return a valid submission: every id, with the same prediction in each row."""
    live = find_competition(services, person, slug).live
    name = live.sample_name.replace("sample_submission", f"{slug}-sample-submission")
    kind = "text/csv" if live.competition.sample is None else "application/octet-stream"
    answer = tag_response(request, live.sample_submission, media_type=kind)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _summary(shown: CompetitionContext) -> CompetitionSummaryBody:
    rules = shown.live.rules
    return CompetitionSummaryBody(
        slug=rules.slug,
        title=rules.title,
        summary=rules.summary,
        status=shown.status,
        visibility=rules.visibility,
        metric=_metric(shown.live),
        opens=rules.opens,
        deadline=rules.deadline,
        time_zone=rules.time_zone,
    )


def _body(shown: CompetitionContext) -> CompetitionBody:
    live, rules = shown.live, shown.live.rules
    limits, teams, budget = rules.limits, rules.teams, shown.budget
    return CompetitionBody(
        **vars(_summary(shown)),
        description=live.competition.description,
        mechanism=_mechanism(live),
        limits=LimitsBody(limits.per_day, limits.total, limits.leakage_bits, limits.max_file_bytes),
        teams=TeamRulesBody(teams.largest, teams.merging, teams.merge_until),
        finals=rules.finals,
        reveal=rules.reveal if isinstance(rules.reveal, str) else rules.reveal.isoformat(),
        late_submissions=rules.late_submissions,
        publish_submissions=rules.publish_submissions,
        publish_solution=rules.publish_solution,
        rows=len(live.competition.format.ids),
        baseline=live.baseline_value,
        score_format=live.score_format,
        private_score_format=find_private_format(live) if _sees_private_scores(shown) else None,
        commitment=shown.record.commitment,
        team=None if shown.team is None else shown.team.name,
        quota=None if shown.quota is None else shown.quota.body,
        budget=None if budget is None else BudgetBody(**budget.to_dict()),
        recognised_gain=_round_gain(shown.gains.shown),
        shown_gain=_round_gain(shown.gains.shown),
        proven_gain=_round_gain(shown.gains.proven),
        gain_reason=shown.gains.reason,
    )


def _round_gain(gain: float | None) -> float | None:
    """Two digits: it is an approximation."""
    return None if gain is None else float(f"{gain:.2g}")


def _sees_private_scores(shown: CompetitionContext) -> bool:
    return shown.status == "revealed" or (shown.status == "finalized" and shown.may("oversee"))


def _metric(live: LiveCompetition) -> MetricBody:
    metric = live.competition.metric
    return MetricBody(metric.name, metric.lower_is_better, live.rules.metric_options, live.rules.positive)


def _mechanism(live: LiveCompetition) -> MechanismBody:
    rules, mechanism = live.rules, live.mechanism
    ranks = rules.ranks if live.is_ranked else None
    return MechanismBody(mechanism.name, mechanism.parameters(), rules.instances, ranks, mechanism.shows_scores)


def _tag_response(request: Request, body: Any) -> Response:
    return tag_response(
        request, json.dumps(asdict(body), ensure_ascii=False, allow_nan=False, default=datetime.isoformat).encode()
    )
