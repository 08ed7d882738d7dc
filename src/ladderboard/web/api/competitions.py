"""Competitions: the list, the rules of one, and what a submission to it must look like."""

import json
from dataclasses import asdict
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from fastapi import APIRouter, Request, Response

from ladderboard.hosting import showing
from ladderboard.hosting.hosted import Hosted
from ladderboard.hosting.showing import Shown
from ladderboard.submissions import sample_submission
from ladderboard.web.auth import Anyone
from ladderboard.web.errors import errors
from ladderboard.web.etags import tagged
from ladderboard.web.paging import Paging
from ladderboard.web.parts import TheHost
from ladderboard.wire import (
    BudgetBody,
    CompetitionBody,
    CompetitionSummaryBody,
    FormatBody,
    LimitsBody,
    MechanismBody,
    MetricBody,
    Page,
    QuotaBody,
    TeamRulesBody,
)

router = APIRouter(prefix="/competitions", tags=["competitions"], responses=errors(401))

UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "what `If-None-Match` names still holds"}}


@router.get("")
def listed(host: TheHost, person: Anyone, paging: Paging) -> Page[CompetitionSummaryBody]:
    """The competitions that the caller may know of, by title."""
    shown = showing.listed(host, person)
    part = shown[paging.offset : paging.offset + paging.limit]
    return paging.page([_summary(one) for one in part], len(shown))


@router.get("/{slug}", response_model=CompetitionBody, responses={**errors(404), **UNCHANGED})
def one(slug: str, host: TheHost, person: Anyone, request: Request) -> Response:
    """A competition: what is scored and how, its limits and times, its status; the own team's quota and budget."""
    return _tagged(request, _body(showing.found(host, person, slug)))


@router.get("/{slug}/format", response_model=FormatBody, responses={**errors(404), **UNCHANGED})
def submission_format(slug: str, host: TheHost, person: Anyone, request: Request) -> Response:
    """What a submission must look like."""
    hosted = showing.found(host, person, slug).hosted
    return _tagged(request, FormatBody(**hosted.competition.format.to_wire()))


@router.get(
    "/{slug}/sample-submission",
    response_class=Response,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}, **errors(404), **UNCHANGED},
)
def sample(slug: str, host: TheHost, person: Anyone, request: Request) -> Response:
    """A valid submission: every id, with the same prediction in each row."""
    hosted = showing.found(host, person, slug).hosted
    answer = tagged(request, _sample(hosted), media_type="text/csv")
    answer.headers["Content-Disposition"] = f'attachment; filename="{slug}-sample-submission.csv"'
    return answer


_samples: WeakKeyDictionary[Hosted, bytes] = WeakKeyDictionary()
"""Those that were made: the file of a million rows takes as long to write as a submission takes to score."""


def _sample(hosted: Hosted) -> bytes:
    if hosted not in _samples:
        _samples[hosted] = sample_submission(hosted.competition.format)
    return _samples[hosted]


def _summary(shown: Shown) -> CompetitionSummaryBody:
    rules = shown.hosted.rules
    return CompetitionSummaryBody(
        slug=rules.slug,
        title=rules.title,
        summary=rules.summary,
        status=shown.status,
        visibility=rules.visibility,
        metric=_metric(shown.hosted),
        opens=_shown(rules.opens),
        deadline=_shown(rules.deadline),
        time_zone=rules.time_zone,
    )


def _body(shown: Shown) -> CompetitionBody:
    hosted, rules = shown.hosted, shown.hosted.rules
    return CompetitionBody(
        slug=rules.slug,
        title=rules.title,
        summary=rules.summary,
        description=hosted.competition.description,
        status=shown.status,
        visibility=rules.visibility,
        metric=_metric(hosted),
        mechanism=_mechanism(hosted),
        limits=LimitsBody(**asdict(rules.limits)),
        teams=TeamRulesBody(rules.teams.largest, rules.teams.merging, _shown(rules.teams.merge_until)),
        opens=_shown(rules.opens),
        deadline=_shown(rules.deadline),
        time_zone=rules.time_zone,
        finals=rules.finals,
        reveal=rules.reveal.isoformat() if isinstance(rules.reveal, datetime) else rules.reveal,
        late_submissions=rules.late_submissions,
        publish_submissions=rules.publish_submissions,
        publish_solution=rules.publish_solution,
        rows=len(hosted.competition.format.ids),
        baseline=hosted.baseline_value,
        commitment=shown.commitment,
        team=None if shown.team is None else shown.team.name,
        quota=None if shown.quota is None else QuotaBody(**shown.quota.to_dict()),
        budget=None if shown.budget is None else BudgetBody(**shown.budget.to_dict()),
    )


def _metric(hosted: Hosted) -> MetricBody:
    metric = hosted.competition.metric
    return MetricBody(metric.name, metric.lower_is_better, hosted.rules.metric_options)


def _mechanism(hosted: Hosted) -> MechanismBody:
    rules, mechanism = hosted.rules, hosted.mechanism
    ranks = rules.ranks if hosted.is_ranked else None
    return MechanismBody(mechanism.name, mechanism.parameters(), rules.instances, ranks)


def _tagged(request: Request, body: Any) -> Response:
    return tagged(request, json.dumps(asdict(body), ensure_ascii=False, allow_nan=False).encode())


def _shown(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
