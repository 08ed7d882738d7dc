"""The report of results: what the page says, that it stands alone, and that no name can break it."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import ladderboard as lb
from ladderboard.analysis.report import Provenance, hash_input, make_report, write_badge, write_report, write_widget
from ladderboard.analysis.report.battles import BattlesReport
from ladderboard.analysis.report.embedding import SCHEMA
from ladderboard.analysis.report.sections import list_sections
from ladderboard.core.errors import InputError
from ladderboard.evals import ACCURACY, Battles, LossMatrix, Repeats
from ladderboard.evals.costs import Costs

SECTIONS = [
    *("Ranks", "What can be told apart", "What decides", "The winner's luck", "Tasks", "Records over time"),
    *("What was read", "What was assumed", "How it was made"),
]
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a|b\n| c | d |",
    '"><svg onload=alert(1)>',
    "${alert(1)} {{7*7}} &lt;b&gt; \u202eevil\x00\x1b",
    "[x](javascript:alert(1)) `code` @all",
]


@pytest.fixture(scope="module")
def results() -> LossMatrix:
    rng = np.random.default_rng(7)
    losses = (rng.random((300, 4)) < [0.5, 0.3, 0.28, 0.1]).astype(float)
    return LossMatrix.of(
        losses,
        systems=["<old>", "b|c", "*star*", "new"],
        measure=ACCURACY,
        tasks=["x"] * 200 + ["y"] * 100,
        groups=[f"g{row // 3}" for row in range(300)],
        repeats=Repeats(np.full((300, 4), 3), np.zeros((300, 4))),
        dates=["2024-01-01", "2024-02-01", "2024-02-01", "2025-01-01T10:00"],
        notes=["table.csv: left out column 'id'"],
    )


@pytest.fixture(scope="module")
def hostile() -> LossMatrix:
    rng = np.random.default_rng(8)
    return LossMatrix.of(
        (rng.random((60, 6)) < 0.5).astype(float),
        systems=HOSTILE,
        tasks=[HOSTILE[row // 10] for row in range(60)],
        items=[f"{HOSTILE[row % 6]} {row}" for row in range(60)],
        dates=[f"2024-0{month}-01" for month in range(1, 7)],
        notes=HOSTILE,
    )


class Outline(HTMLParser):
    """The headings, the tags with their attributes, and every address that a page would load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.loaded: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)


def write_page(report: object, folder: Path, title: str = "Results") -> str:
    write_report(report, folder / "report.html", title=title)  # type: ignore[arg-type]  # either kind
    return (folder / "report.html").read_text()


def test_the_page_has_every_section_and_loads_nothing(results: LossMatrix, tmp_path: Path) -> None:
    page = write_page(make_report(results), tmp_path, "Results: <a>")
    outline = Outline(page)
    assert outline.headings == SECTIONS
    assert outline.open == []
    assert outline.loaded == []
    assert not re.search(r"url\((?!#)|@import|fetch\(|XMLHttp", page)
    assert page.count("<script>") == 1
    assert "<old>" not in page


def test_the_numbers_are_those_of_the_library(results: LossMatrix, tmp_path: Path) -> None:
    report = make_report(results)
    ranges = {one.system: one for one in lb.rank_ranges(results)}
    assert {one.system: one for one in report.ranges} == ranges
    assert report.winner == lb.winner_estimate(results)
    write_report(report, tmp_path / "report.md", title="Results")
    text = (tmp_path / "report.md").read_text()
    assert f"| 1 | new | {100 * (1 - ranges['new'].score):.2f} % | " in text
    assert "**new is first with accuracy 8" in text  # by the ranges: nobody else can be
    assert "table.csv: left out column 'id'" in text
    assert "come in 100 independent groups" in text
    assert "4 systems, n = 300 items, 2 tasks, 100 groups of items, 3 runs of each item; higher accuracy" in text
    assert "However tasks are added up, new is first" in text
    assert "runs of one day are one batch" in text
    assert r"| b\|c |" in text
    assert r"\*star\*" in text


def test_a_pair_is_told_apart_where_neither_range_of_ranks_needs_the_other(results: LossMatrix) -> None:
    """The count of the page, which it takes from the ranges, is that of the simultaneous comparison itself."""
    report = make_report(results)
    undecided = sum(row.not_separable for row in report.rows)
    assert report.difficulty.pairs - report.difficulty.pairs_apart == undecided / 2


def test_what_decides_is_counted_as_it_is() -> None:
    losses = [[0, 0, 0], [0, 0, 0], [1, 1, 1], [0, 1, 1], [1, 0, 0], [0, 0, 1]]
    found = make_report(LossMatrix.of(losses)).difficulty
    assert (found.solved_by_all, found.solved_by_none, found.level, found.deciding_top) == (2, 1, 3, 3)
    graded = make_report(LossMatrix.of([[1.5, 2.0], [3.0, 3.0], [4.0, 1.0]])).difficulty
    assert (graded.solved_by_all, graded.level) == (None, 1)


@pytest.mark.claim
def test_the_gap_that_items_resolve_is_proven_eight_times_in_ten() -> None:
    """Planned comparisons of two of three systems at that gap: 300 boards, four standard deviations of slack."""
    base = np.random.default_rng(1).random((800, 3)) < 0.3
    gap = make_report(LossMatrix.of(base.astype(float))).difficulty.gap
    assert gap is not None
    proven = 0
    for seed in range(300):
        losses = np.random.default_rng(100 + seed).random((800, 2)) < [0.3 - gap / 2, 0.3 + gap / 2]
        proven += lb.compare(losses.astype(float), "system 1", "system 2").verdict == "better"
    assert abs(proven / 300 - 0.8) < 4 * np.sqrt(0.8 * 0.2 / 300)


def test_who_may_be_first_is_said_by_the_ranges_alone(tmp_path: Path) -> None:
    losses = (np.random.default_rng(2).random((80, 5)) < [0.3, 0.3, 0.3, 0.3, 0.9]).astype(float)
    report = make_report(LossMatrix.of(losses))
    may = sum(one.could_be_first for one in report.ranges)
    assert may > 1
    assert f"; {may} of 5 systems may be first (95 % confidence)." in write_page(report, tmp_path)


def test_systems_with_the_same_score_are_level(tmp_path: Path) -> None:
    report = make_report(LossMatrix.of([[0, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 1]] * 5, systems=["a", "b", "c"]))
    page = write_page(report, tmp_path)
    assert "a, b are level, loss 0.5000; " in page
    assert "a has the best loss of 3, 0.5000 (so has b; the first is taken). Corrected" in page


def test_costs_and_numbers_of_runs_are_columns_where_they_differ(results: LossMatrix, tmp_path: Path) -> None:
    counts = np.full((300, 4), 3)
    counts[:, 1] = 5
    given = replace(
        results, costs=Costs("<USD>", (0.5, None, 1250.0, 2.0)), repeats=Repeats(counts, np.zeros((300, 4)))
    )
    page = write_page(make_report(given), tmp_path)
    assert '<td class="num more" data-head="cost, &lt;USD&gt;" data-value="1.25e+03">1.25e+03</td>' in page
    assert '<td class="num more" data-head="runs" data-value="5">5</td>' in page
    assert "runs of each item" not in page.split("<thead>")[0]


def test_records_of_one_day_are_no_records(results: LossMatrix) -> None:
    one_day = LossMatrix.of(results.losses, dates=[f"2024-01-01T0{hour}:00" for hour in range(4)])
    assert make_report(one_day).records is None
    assert make_report(results).records is not None


def test_the_page_says_how_it_was_made(results: LossMatrix, tmp_path: Path) -> None:
    made = Provenance(seed=3, date="2026-01-02", command="ladderboard report <x>", input_sha256="ab12")
    page = write_page(make_report(results, seed=3, provenance=made), tmp_path)
    for words in ("ladderboard report &lt;x&gt;", "<dd>3</dd>", "2026-01-02", "ab12", lb.__version__):
        assert words in page


def test_the_hash_is_that_of_the_input(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.csv").write_bytes(b"abc")
    file = hash_input(tmp_path / "a" / "x.csv")
    assert file == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    folder = hash_input(tmp_path / "a")
    (tmp_path / "a" / "x.csv").rename(tmp_path / "a" / "y.csv")
    assert len({file, folder, hash_input(tmp_path / "a")}) == 3


def test_the_json_is_what_its_schema_says(results: LossMatrix, hostile: LossMatrix, tmp_path: Path) -> None:
    schema = Draft202012Validator(json.loads(SCHEMA.read_text()))
    Draft202012Validator.check_schema(schema.schema)
    for report in (make_report(results), make_report(hostile), make_report(LossMatrix.of([[1.5, 2.0], [3.0, 3.5]]))):
        write_report(report, tmp_path / "report.json", title="")
        found = json.loads((tmp_path / "report.json").read_text())
        schema.validate(found)
        assert [one["system"] for one in found["systems"]] == [one.system for one in report.ranges]
    found["systems"][0].pop("score")
    assert not schema.is_valid(found)  # so that the schema can refuse


def test_no_name_becomes_markup_on_the_page_or_in_the_widget(hostile: LossMatrix, tmp_path: Path) -> None:
    report = make_report(hostile)
    page = write_page(report, tmp_path, HOSTILE[0])
    write_widget(report, tmp_path / "widget.html")
    for text in (page, (tmp_path / "widget.html").read_text()):
        outline = Outline(text)
        assert "img" not in outline.tags
        assert not any(name.startswith("on") for name in outline.attributes)
        assert outline.open == []
        assert "\x00" not in text
        assert "\x1b" not in text
    assert page.count("<script>") == 1
    assert "<script" not in (tmp_path / "widget.html").read_text()


def test_no_name_leaves_its_cell_in_markdown(hostile: LossMatrix, tmp_path: Path) -> None:
    write_report(make_report(hostile), tmp_path / "report.md", title=HOSTILE[2])
    text = (tmp_path / "report.md").read_text()
    assert not re.search(r"<(?!!-- -->)", text)
    assert not re.search(r"(?<!\\)\]\(javascript", text)
    tables = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    for table in tables:
        assert len({line.replace("\\|", "").count("|") for line in table.splitlines()}) == 1


def test_json_may_stand_in_a_script(hostile: LossMatrix, tmp_path: Path) -> None:
    write_report(make_report(hostile), tmp_path / "report.json", title="")
    text = (tmp_path / "report.json").read_text()
    assert not set("<>&") & set(text)
    assert {one["system"] for one in json.loads(text)["systems"]} == set(HOSTILE)


def test_the_widget_brings_its_look_and_loads_nothing(results: LossMatrix, tmp_path: Path) -> None:
    write_widget(make_report(results), tmp_path / "widget.html")
    text = (tmp_path / "widget.html").read_text()
    outline = Outline(text)
    assert outline.loaded == []
    assert text.startswith('<div class="ladderboard-widget"')
    rules = re.findall(r"^([^{}\n]+)\{", text[text.index("<style>") : text.index("</style>")], flags=re.MULTILINE)
    rules = [rule for rule in rules if not rule.startswith("@media")]
    assert "color-scheme" not in text  # as the page around it
    assert all(rule.startswith(".ladderboard-widget") for rule in rules)  # nothing of the page around it changes


def test_long_names_are_cut_in_the_middle(tmp_path: Path) -> None:
    names = [f"organisation/{'very-' * 20}long-model-{end}" for end in ("base", "chat")]
    page = write_page(make_report(LossMatrix.of([[0, 1], [1, 0], [0, 1]], systems=names)), tmp_path)
    assert re.search(r'title="organisation/[^"]*base"><bdi>organisation/very-[^<]*…[^<]*long-model-base<', page)


def test_a_page_of_a_hundred_systems_is_at_most_500_kb(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    losses = (rng.random((400, 100)) < np.linspace(0.2, 0.5, 100)).astype(float)
    names = [f"organisation-{number}/model-with-a-long-name-{number}-instruct" for number in range(100)]
    page = write_page(make_report(LossMatrix.of(losses, systems=names)), tmp_path)
    assert len(page.encode()) <= 500_000


def test_the_badge_shows_the_range_of_a_system(results: LossMatrix, hostile: LossMatrix, tmp_path: Path) -> None:
    report = make_report(results)
    write_badge(report, tmp_path / "badge.svg", system="*star*")
    one = report.find_range("*star*")
    text = "".join(ElementTree.fromstring((tmp_path / "badge.svg").read_text()).itertext())
    assert f"ranks {one.best}–{one.worst} of 4, n = 300" in text
    write_badge(report, tmp_path / "badge.svg")
    assert "rank 1 of 4, n = 300" in (tmp_path / "badge.svg").read_text()
    for name in HOSTILE:
        write_badge(make_report(hostile), tmp_path / "badge.svg", system=name)
        assert {node.tag.split("}")[1] for node in ElementTree.parse(tmp_path / "badge.svg").iter()} == {
            *("svg", "title", "rect", "text")
        }


def test_bad_requests_are_one_sentence(results: LossMatrix, tmp_path: Path) -> None:
    report = make_report(results)
    with pytest.raises(InputError, match=r"report.pdf: the name of a report must end in .html, .md or .json"):
        write_report(report, tmp_path / "report.pdf", title="Results")
    with pytest.raises(InputError, match=r"the name of a widget must end in .html"):
        write_widget(report, tmp_path / "widget.js")
    with pytest.raises(InputError, match=r"no system is called 'nobody'; there are new, "):
        write_badge(report, tmp_path / "badge.svg", system="nobody")
    with pytest.raises(InputError, match="a report compares at least two"):
        make_report(results.select(["new"]))


def test_a_page_of_battles_says_what_else_decides_them() -> None:
    rng = np.random.default_rng(5)
    lengths = rng.normal(0, 1, 600)
    won = (rng.random(600) < 1 / (1 + np.exp(-lengths))).astype(float)
    first, second = np.array(["a", "b", "c"])[np.stack([np.arange(600) % 3, (np.arange(600) + 1) % 3])]
    for given in ({"length": lengths}, None):
        report = make_report(Battles.of(first.tolist(), second.tolist(), won.tolist(), covariates=given))
        assert isinstance(report, BattlesReport)
        sections = {one.heading: one.sentences for one in list_sections(report, for_html=False)}
        assert ("What else decides" in sections) == (given is not None)
        assert "all systems have the same items" not in sections["Ranks"][0]
        if given is not None:
            told = sections["What else decides"][0]
            assert told.startswith("Strengths are those of answers with equal length. Effects on the log-odds")
            assert f"length {report.ranking.effects[0].effect:+.3f} ± " in told


def test_battles_have_a_page_of_their_own(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    names = np.array(["<good>", "fair", "poor"])
    pairs = np.array([rng.choice(3, 2, replace=False) for _ in range(300)])
    won = (rng.random(300) < 1 / (1 + np.exp(pairs[:, 0] - pairs[:, 1]))).astype(float)
    battles = Battles.of(names[pairs[:, 0]].tolist(), names[pairs[:, 1]].tolist(), won.tolist())
    report = make_report(battles)
    page = write_page(report, tmp_path)
    assert Outline(page).headings == [
        *("Ranks", "What can be told apart", "Does one strength for each system fit?"),
        *("What was read", "What was assumed", "How it was made"),
    ]
    assert f"{-report.find_range('<good>').score:.4f} <small>±" in page
    assert report.ranking.fit.sentence() in page
    write_report(report, tmp_path / "report.json", title="")
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(json.loads((tmp_path / "report.json").read_text()))
    write_badge(report, tmp_path / "badge.svg")
    assert "rank 1 of 3, n = 300" in (tmp_path / "badge.svg").read_text()
