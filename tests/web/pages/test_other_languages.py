"""Everything that a page says can be said in another language: nothing in English is left outside of messages."""

import ast
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import get_args

import httpx
import pytest
from babel.messages.pofile import read_po

from ladderboard.competition import Limits
from ladderboard.core import errors
from ladderboard.core.words import Translatable
from ladderboard.demo.page import DemoBoardRow, Story
from ladderboard.hosting.people.registry import Registry
from ladderboard.hosting.submissions.eligibility import STATUS_WORDS
from ladderboard.hosting.teams.teams import TeamStatus
from ladderboard.metrics import METRICS
from ladderboard.store.database import Database
from ladderboard.web import text
from ladderboard.web.pages._shared.error_pages import _WORDS, HOME, Fault
from ladderboard.web.pages._shared.rendering import TEMPLATES, render
from ladderboard.web.pages._shared.visitor import Visitor
from ladderboard.web.pages.competition.context import read_context
from scripts.messages import PACKAGE, NotInOnePieceError, messages_in, template
from tests.hosting.competitions import NOON, a_competition, a_file, predictions
from tests.web.pages.conftest import EVIL, SHARES
from tests.web.pages.languages import MARKED, READ_ALOUD, marked_catalogue, spoken_here, untranslated
from tests.web.pages.readers import Page, Reader
from tests.web.pages.test_every_page import MEMBERS, PUBLIC
from tests.web.pages.test_organiser_pages import Ticking
from tests.web.pages.tree import tree_of
from tests.web.servers import PASSWORD, Server, a_host, serving

PRODUCTS = ("Ladderboard", "OpenAPI")
FORMATS = ("application/json", "multipart/form-data", "UTC", "CET", "CEST", "Europe/Berlin", "id", "label")
FILES = ("sample_submission.csv", "train.csv", "naïve <b>.txt", f"{EVIL}.csv", "mine.csv")
WRITTEN = (
    "Pets",
    "Later",
    "Cats or dogs?",
    "About pets",
    "click",
    "spy",
    "<script>alert(1)</script>",
    "javascript:alert",
)
TYPED = (*SHARES, "ann", "bob", "olga", "a0", "a laptop", "Crows", "Simple")
OWN = (*PRODUCTS, *FORMATS, *FILES, *WRITTEN, *TYPED)
"""All that may stand on a page in whatever language it was written in."""


@pytest.fixture
def marked(tmp_path: Path) -> Iterator[None]:
    with spoken_here(MARKED, marked_catalogue(), tmp_path / "locale"):
        yield


@pytest.fixture
def living(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    """A server of one test, whose time goes on."""
    shutil.copy(prepared_sqlite, tmp_path / "site.db")
    database = Database(f"sqlite:///{tmp_path / 'site.db'}", clock=Ticking())
    competition = a_competition(limits=Limits(per_day=3), deadline=NOON + timedelta(days=9), time_zone="Europe/Berlin")
    with serving(a_host(database, tmp_path, competition)) as server:
        yield server
    database.close()


class Checking(Reader):
    """A reader of the marked language, who notes every word that is not in it."""

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self.http.headers["Accept-Language"] = f"{MARKED},en;q=0.5"
        self.seen: set[str] = set()
        self.left_in_english: dict[str, list[str]] = {}

    def _read(self, answer: httpx.Response, status: int) -> Page:
        assert answer.status_code == status, f"{answer.status_code} {answer.url}\n{answer.text[:3000]}"
        if answer.headers["content-type"].startswith("text/html"):
            self.note(f"{answer.request.method} {answer.url.raw_path.decode()}", answer.text)
        return Page(answer)

    def note(self, where: str, html: str) -> None:
        page = tree_of(html)
        self.seen.add(page.one("h1").text)
        self._token = next((one.attributes["value"] for one in page.all("input", name="csrf")), "")
        found = untranslated(page, OWN)
        if found:
            self.left_in_english.setdefault(where, found)


@pytest.mark.usefixtures("marked")
def test_every_page_speaks_the_readers_language(site: Server) -> None:
    passer_by = Checking(site)
    for path in (*PUBLIC, "/competitions/pets/results"):
        passer_by.open(path)
    passer_by.note("embedded", passer_by.http.get("/competitions/pets/embed").text)
    fox = Checking(site).sign_in("a0")
    for path in MEMBERS:
        fox.open(path)
    mine = fox.open("/competitions/pets/submissions").tree.one("tbody").all("a")[0]
    fox.open(mine.attributes["href"] + "?again=1")
    assert passer_by.left_in_english | fox.left_in_english == {}
    assert len(passer_by.seen) > 20


@pytest.mark.usefixtures("marked")
def test_refusals_speak_the_readers_language(site: Server) -> None:
    passer_by, fox = Checking(site), Checking(site).sign_in("a0")
    for path in ("/nothing", "/competitions/nothing", "/mechanisms/witness", "/mechanisms/zzz", "/static/nothing"):
        passer_by.open(path, status=404)
        fox.open(path, status=404)
    fox.open("/competitions/pets/organise", status=403)
    fox.open("/competitions/pets/submissions/other", status=404)
    fox.open("/competitions/pets/organise/nothing", status=422)
    fox.open("/competitions/pets/data/nothing.csv", status=404)
    passer_by.send("/competitions/pets/rules", status=405)
    passer_by.send("/sign-in", {"csrf": "old"}, status=403)
    passer_by.open("/sign-in")
    passer_by.send("/sign-in", {"name": "a0", "password": "wrong"}, status=403)
    for name, password, status in (
        ("a0", PASSWORD, 409),
        ("x", PASSWORD, 422),
        ("a/b", PASSWORD, 422),
        ("zed", "x", 422),
    ):
        passer_by.open("/sign-up")
        passer_by.send("/sign-up", {"name": name, "password": password}, status=status)
    passer_by.open("/reset-password")
    passer_by.send("/reset-password", {"code": "wrong", "password": PASSWORD}, status=403)
    fox.open("/competitions/pets/team")
    fox.send("/competitions/pets/team", {"name": "Again"}, status=409)
    fox.send("/competitions/pets/team/join", {"code": "wrong"}, status=404)
    fox.send("/competitions/pets/team/merge", {"code": "wrong"}, status=404)
    fox.send("/competitions/pets/team/rename", {"name": "Owls"}, status=409)
    fox.send("/competitions/pets/finals", {"pick": ["1", "2", "3", "4"]}, status=422)
    fox.send("/competitions/pets/finals", {"pick": "nothing"}, status=404)
    fox.open("/account")
    fox.send("/account/password", {"password": "wrong", "new_password": "long enough"}, status=403)
    fox.send("/account/tokens", {"name": "a laptop", "scope": ""}, status=422)
    for status, (title, advice) in _WORDS.items():
        fault = Fault(status, title, "", advice, (HOME,), request_id="1")
        fox.note(f"{status}", render("site/error.html", Visitor(language=MARKED), fault=fault))
    assert passer_by.left_in_english | fox.left_in_english == {}
    assert len(passer_by.seen | fox.seen) > 12


BAD_FILES = {
    "empty": b"",
    "blank": b"\n\n",
    "header only": b"id,label\n",
    "other columns": b"a,b\n1,2\n",
    "a similar column": b"id,lable\n1,1\n",
    "a column too many": b"id,label,more\n1,1,1\n",
    "an index": b",id,label\n0,1,1\n",
    "twice": b"id,label,label\n1,1,1\n",
    "rows": b'id,label\n1,7\n1,1\n9999,1\n,1\n2,1,1\n3,\n4,"a"b\n',
    "a quote": b'id,label\n1,"1\n',
    "latin": "id,label\n1,é\n".encode("latin-1"),
    "utf-16": "id,label\n1,1\n".encode("utf-16"),
    "nul": b"id,label\n1,\0\n",
    "pdf": b"%PDF-1.4",
    "gzip": b"\x1f\x8bnothing",
    "zip": b"PK\x03\x04nothing",
    "parquet": b"PAR1nothing",
}


@pytest.mark.usefixtures("marked")
def test_the_life_of_a_competition_speaks_the_readers_language(living: Server) -> None:
    ann, bob, olga = (Checking(living) for _ in range(3))
    Registry(living.app.state.accounts).add("olga", PASSWORD, role="organiser")
    competition = living.services.competition("pets").competition
    ann.sign_up("ann")
    for path in ("team", "submit", "submissions"):
        ann.open(f"/competitions/pets/{path}")
    ann.found("Owls")
    ann.send("/account/tokens", {"name": "a laptop", "scope": "read submit"})
    for kind in ("join", "merge"):
        ann.open("/competitions/pets/team")
        ann.send("/competitions/pets/team/invitations", {"kind": kind})
    for content in BAD_FILES.values():
        ann.submit(content, status=422)
    ann.submit(b"", name="", status=422)
    for seed in range(3):
        ann.submit(a_file(competition, predictions(competition, 0.7 + seed / 10, seed=seed)), note="mine.csv")
    ann.submit(a_file(competition, predictions(competition, 0.6, seed=9)), status=429)
    for path in ("submit", "submissions", "leaderboard", "team"):
        ann.open(f"/competitions/pets/{path}")
    bob.sign_up("bob").found("Crows")
    bob.submit(a_file(competition, predictions(competition, 0.9, seed=2)))
    olga.sign_in("olga")
    desk = "/competitions/pets/organise"
    olga.submit(b"", status=403)
    for path in ("", "/flags", "/flags?all=1", "/ledger", "/teams", "/freeze"):
        olga.open(desk + path)
    olga.open(f"{desk}/reveal", status=409)
    for fields, status in (({"per_day": "x"}, 422), ({"per_day": "5", "total": "1"}, 200)):
        olga.send(f"{desk}/teams/quota", {"team": "Owls", **fields}, status=status)
    olga.send(f"{desk}/teams/quota", {"team": "Nobody", "total": "1"}, status=404)
    olga.send(f"{desk}/teams/ruling", {"team": "Crows", "status": "odd"}, status=422)
    for ruling in ("withdrawn", "active"):
        olga.send(f"{desk}/teams/ruling", {"team": "Crows", "status": ruling, "reason": ""})
        bob.open("/competitions/pets/submit")
    good = a_file(competition, predictions(competition, 0.6, seed=5))
    for name, content, status in (("Owls", good, 409), ("Simple", b"id,label\n", 422), ("Simple", good, 200)):
        olga.open(desk)
        olga.send(f"{desk}/baselines", {"name": name}, files={"file": ("mine.csv", content)}, status=status)
    olga.send(f"{desk}/freeze")
    olga.send(f"{desk}/freeze", status=409)
    olga.send(f"{desk}/finalize", status=409)
    for path in ("submit", "", "leaderboard", "results"):
        ann.open(f"/competitions/pets/{path}".rstrip("/"))
    olga.open(f"{desk}/finalize")
    olga.send(f"{desk}/finalize", {"at_once": "yes"})
    olga.open(f"{desk}/reveal")
    olga.open("/competitions/pets/results")
    olga.send(f"{desk}/reveal")
    olga.send(f"{desk}/reveal", status=409)
    for path in ("", "leaderboard", "results", "submissions", "submit", "team", "rules"):
        ann.open(f"/competitions/pets/{path}".rstrip("/"))
    ann.send("/competitions/pets/submit", files={"file": ("mine.csv", good)}, status=409)
    olga.open("/")
    assert ann.left_in_english | bob.left_in_english | olga.left_in_english == {}


@pytest.mark.usefixtures("marked")
def test_the_page_of_the_demo_speaks_the_readers_language(site: Server) -> None:
    text.speak(MARKED)
    line = DemoBoardRow(1, "Owls", "0.5", "0.5", is_attacker=True)
    story = Story((line,), (line,), "Crows", 3, 1, 1, False, True, "/", "mine.csv", "olga", "ann", "a laptop")
    head = read_context(site.services, "pets", None).head("")
    for told in (story, replace(story, is_over=True), replace(story, may_finish=False)):
        html = render("site/demo.html", Visitor(language=MARKED), head=head, story=told)
        assert untranslated(tree_of(html), OWN) == []


@pytest.mark.usefixtures("marked")
def test_programs_hear_english_whatever_they_ask_for(site: Server) -> None:
    answer = site.client().get("/api/v1/competitions/nothing", headers={"Accept-Language": MARKED})
    assert answer.json()["error"]["message"] == "there is no competition 'nothing' here"


def test_templates_say_nothing_outside_of_messages() -> None:
    """Also what no test above comes to see: all branches of all templates."""
    found = {}
    for path in TEMPLATES.rglob("*.html"):
        source = re.sub(r"{% trans.*?endtrans %}|{#.*?#}", "", path.read_text(), flags=re.DOTALL)
        bare = re.sub(r"{{.*?}}|{%.*?%}", "", source, flags=re.DOTALL)
        words = re.sub(r"<(code|pre)\b.*?</\1>", "", bare, flags=re.DOTALL)
        spoken = re.findall(rf'(?:{"|".join(READ_ALOUD)})="([^"]*)"', words)
        left = [one for one in (re.sub(r"<[^>]*>", " ", words), *spoken) if re.search("[A-Za-z]{2,}", strip(one))]
        if left:
            found[path.name] = left
    assert found == {}


def test_pages_and_charts_have_no_sentence_outside_of_messages() -> None:
    """The same for what is said in Python: three words in a row that are not marked."""
    found = []
    for path in (*(PACKAGE / "web" / "pages").rglob("*.py"), *(PACKAGE / "web" / "charts").glob("*.py")):
        messages = {text for _, _, one, many in messages_in(path, name="") for text in (one, many)}
        found += [words for words in sentences_in(ast.parse(path.read_text())) if words not in messages]
    assert found == ["organise read submit"]  # the scopes of a token, as the API calls them


def sentences_in(tree: ast.Module) -> Iterator[str]:
    """Literals of three words and more, but docstrings and what asserts tell developers."""
    aside = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    aside += [node.msg for node in ast.walk(tree) if isinstance(node, ast.Assert) and node.msg is not None]
    passed = {id(node) for node in aside}
    for node in ast.walk(tree):
        words = node.value if isinstance(node, ast.Constant) and id(node) not in passed else None
        if isinstance(words, str) and re.search(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}", words):
            yield words


def strip(words: str) -> str:
    return re.sub(r"Ladderboard|OpenAPI|&amp;|class=\"\w+\"", "", words)


ENGLISH_ONLY = {
    "hosting/audit/audit.py",  # of `ladderboard ledger verify`
    "hosting/operations/export_files.py",  # of `ladderboard export`
    "hosting/opening.py",  # of starting a server
    "hosting/results/publication.py",  # of the API
    "hosting/audit/published.py",  # of `ladderboard ledger replay`
    "hosting/audit/published_files.py",  # as above
    "hosting/webhooks/ssrf.py",  # of webhooks, which the API and the command line make
    "hosting/people/registry.py",  # of `ladderboard users`
    "hosting/corrections/rejudging.py",  # of `ladderboard rescore`
    "hosting/corrections/rescoring.py",  # as above
    "hosting/services.py",  # as opening
    "hosting/settings.py",  # as above
    "hosting/webhooks/events.py",  # as ssrf
    "web/holdout/server.py",  # of `ladderboard holdout serve`
    "tabular/alignment.py",  # of the analysing commands
    "tabular/arrays.py",  # as above
    "tabular/class_columns.py",  # of the organiser's commands
    "tabular/table.py",  # as above
    "tabular/submissions.py",  # of the client
}
"""Files whose refusals come to no page: only commands and programs get them."""


def test_refusals_that_come_to_a_page_can_be_translated() -> None:
    """Also those that no test above provokes."""
    raised = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, Exception)}
    raised -= {"CompetitionError", "DatabaseError", "GuardFileError"}
    found = []
    for folder in ("hosting", "tabular", "web", "demo"):
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            place = path.relative_to(PACKAGE).as_posix()
            if place not in ENGLISH_ONLY and not place.startswith("web/api/"):  # the API speaks English
                found += [f"{path.name}:{line}" for line in raised_in_english(path, raised)]
    assert found == []


def raised_in_english(path: Path, raised: set[str]) -> Iterator[int]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in raised and node.args:
            message = node.args[0]
            if isinstance(message, ast.JoinedStr) or (isinstance(message, ast.Constant) and message.value):
                yield node.lineno


def test_there_are_words_for_every_metric_and_every_status() -> None:
    assert all(isinstance(metric.title, Translatable) for metric in METRICS.values())
    assert set(STATUS_WORDS) == set(get_args(TeamStatus))


def test_the_catalogues_template_has_every_message_once() -> None:
    made = template()
    found = [message.id for message in read_po(StringIO(made))]
    assert (
        len(re.findall("^msgid ", made, flags=re.MULTILINE)) == len(found) == len(marked_catalogue()) + 1
    )  # the header
    assert 'msgid "the name {name!r} is taken; choose another one, or sign in"' in made
    assert 'msgid_plural "{n} ids have no row: {names}"' in made
    assert "The board's score after each of {n} attempts" in found


def test_a_message_that_is_put_together_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text('from ladderboard.core.words import translatable\n\n\ntranslatable("a" + "b")\n')
    with pytest.raises(NotInOnePieceError, match=re.escape("x.py:4")):
        list(messages_in(tmp_path / "x.py", name="x.py"))
