"""Words: what is said fits what was decided, and can be said in another language."""

import json
import pickle
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ladderboard.competition import Limits, Rules
from ladderboard.core.errors import ConflictError
from ladderboard.core.words import Translatable, join_translatable, translatable
from ladderboard.mechanisms.outcomes import TITLES
from ladderboard.metrics.custom import metric_from_function
from ladderboard.web import charts, text
from ladderboard.web.pages._shared.error_pages import HOME, Fault
from ladderboard.web.pages._shared.rendering import render
from ladderboard.web.pages._shared.visitor import Visitor
from ladderboard.web.pages.competition.context import read_context
from ladderboard.web.pages.competition.rules_words import attempts_in_words, rules_in_words
from tests.web.pages.languages import spoken_here
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


def test_a_metric_of_the_organisers_own_is_named_without_its_settings(site: Server) -> None:
    context = read_context(site.services, "pets", None)
    rules = replace(context.live.rules, metric="click_gain", metric_options={"file": "metric.py", "bounds": [0, 1]})
    metric = metric_from_function(lambda y, p: float((y == p).mean()), name="click_gain", lower_is_better=False)
    competition = replace(context.live.competition, metric=metric, rules=rules)
    own = replace(context, shown=replace(context.shown, live=replace(context.live, competition=competition)))
    told = {section.title: section.sentences for section in rules_in_words(own)}["What counts"]
    assert told == ("Submissions are scored by click gain, the organisers' own function.", "Higher is better.")


@pytest.fixture
def german(tmp_path: Path) -> Iterator[None]:
    """A catalogue with a few messages, one of them with a slip."""
    messages = {
        "Sign in": "Anmelden",
        "Improved": "Verbessert",
        "attempt": "Versuch",
        "the name {name!r} is taken": "der Name {name!r} ist vergeben",
        "{n} row\0{n} rows": "{n} Zeile\0{n} Zeilen",
        "too many {things}": "zu viele {sachen}",
        "{date}, {place}": "{date. {place}",
        "{n} file\0{n} files": "{n:x} Datei\0{m} Dateien",
    }
    with spoken_here("de", messages, tmp_path):
        yield


@pytest.mark.usefixtures("german")
def test_a_catalogue_is_all_that_another_language_needs() -> None:
    assert text.languages() == ("en", "de")
    chosen = text.language_for("de-AT,en;q=0.5")
    html = render("site/error.html", Visitor(language=chosen), fault=fault())
    assert '<html lang="de">' in html
    assert ">Anmelden<" in html
    text.speak(chosen)
    assert text.say(TITLES["improved"]) == "Verbessert"
    assert ">Versuch<" in charts.staircase([charts.Step(1, 0.5, 0.5, True, True)], metric="auc", lower_is_better=False)


def fault() -> Fault:
    return Fault(404, "Page not found", "x", (), (HOME,))


def test_without_a_catalogue_the_words_are_english() -> None:
    assert text.language_for("de, fr") == "en"
    assert text.pluralise("{n} team", "{n} teams", 1000) == "1,000 teams"


@pytest.mark.usefixtures("german")
def test_what_a_lower_layer_said_is_said_again_in_the_readers_language() -> None:
    text.speak("de")
    error = ConflictError(translatable("the name {name!r} is taken", name="{name} <b>"))
    assert str(error) == f"{error}" == "the name '{name} <b>' is taken"
    assert text.sentence(str(error)) == "Der Name '{name} <b>' ist vergeben."
    assert text.say(translatable("{n} row", "{n} rows", 1)) == "1 Zeile"
    assert text.say(translatable("{n} row", "{n} rows", 1200)) == "1,200 Zeilen"
    assert (
        text.say(join_translatable("; ", [translatable("{n} row", "{n} rows", 2), "Improved"])) == "2 Zeilen; Improved"
    )
    assert text.moment(datetime(2027, 3, 1, 18, tzinfo=UTC)) == "1. März 2027, 18:00 UTC"


@pytest.mark.usefixtures("german")
def test_what_people_have_typed_is_neither_looked_up_nor_filled_in_nor_run() -> None:
    text.speak("de")
    assert text.say("Sign in") == "Sign in"
    assert text.say("{0.__class__}") == "{0.__class__}"
    shown = replace(fault(), message=translatable("the name {name!r} is taken", name="<script>{name}</script>"))
    html = render("site/error.html", Visitor(language="de"), fault=shown)
    assert "der Name &#39;&lt;script&gt;{name}&lt;/script&gt;&#39; ist vergeben" in html


@pytest.mark.usefixtures("german")
def test_a_slip_of_a_translator_leaves_the_english_sentence() -> None:
    text.speak("de")
    assert text.say(translatable("too many {things}", things="rows")) == "too many rows"
    assert text._("{date}, {place}").format(date="1 May", place="Bern") == "1 May, Bern"
    assert text.pluralise("{n} file", "{n} files", 2) == "2 files"


def test_a_sentence_keeps_what_it_was_made_of_on_its_way() -> None:
    made = translatable("{n} row", "{n} rows", 3, place="x")
    for other in (deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert isinstance(other, Translatable)
        assert vars(other) == vars(made)
    assert json.dumps({"message": made}) == '{"message": "3 rows"}'
