"""Words: what is said fits what was decided."""

from dataclasses import replace

import pytest

from ladderboard.competition import Limits, Rules
from ladderboard.metrics.custom import metric_from_function
from ladderboard.server.competitions.context import read_context
from ladderboard.server.competitions.rules_words import attempts_in_words, rules_in_words
from tests.web.servers import Server


@pytest.mark.parametrize(
    ("per_day", "total", "words"),
    [
        (1, None, "1 attempt a day"),
        (5, 100, "5 attempts a day, 100 in total"),
        (None, 7, "7 in total"),
        (None, None, "unlimited attempts"),
    ],
)
def test_limits_are_said_in_words(per_day: int | None, total: int | None, words: str) -> None:
    rules = Rules("a", "A", "auc", "ladder", limits=Limits(per_day=per_day, total=total))
    assert attempts_in_words(rules) == words


def test_parameters_of_a_mechanism_are_explained_where_they_are_set(site: Server) -> None:
    context = read_context(site.services, "pets", None)
    rules = replace(context.live.rules, mechanism="witness_ladder", mechanism_parameters={"gate_share": 0.3})
    competition = replace(context.live.competition, rules=rules)
    own = replace(context, live=replace(context.live, competition=competition))
    told = {section.title: section.sentences for section in rules_in_words(own)}["What you see"]
    assert told[-1] == "Here gate_share is 0.3: the share of the rows in the part that decides."


def test_a_metric_of_the_organisers_own_is_named_without_its_settings(site: Server) -> None:
    context = read_context(site.services, "pets", None)
    rules = replace(context.live.rules, metric="click_gain", metric_options={"file": "metric.py", "bounds": [0, 1]})
    metric = metric_from_function(lambda y, p: float((y == p).mean()), name="click_gain", lower_is_better=False)
    competition = replace(context.live.competition, metric=metric, rules=rules)
    own = replace(context, live=replace(context.live, competition=competition))
    told = {section.title: section.sentences for section in rules_in_words(own)}["What counts"]
    assert told == ("Submissions are scored by click gain, the organisers' own function.", "Higher is better.")
