"""The report of results: what the page says, that it stands alone, and the badge."""

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.analysis.report import make_report, write_badge, write_report
from ladderboard.analysis.report.pictures import WIDTH, draw_rank_ranges
from ladderboard.core.errors import InputError
from ladderboard.evals import ACCURACY, Battles, LossMatrix, Repeats

SECTIONS = [
    *("What was read", "Ranks", "Groups of ties", "The winner", "Records over time"),
    *("Tasks", "Ways to add tasks up", "What was assumed"),
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


class Outline(HTMLParser):
    """The headings, the tags left open, and every address that a page would load."""

    def __init__(self) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.loaded: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)


def test_the_page_has_every_section_and_loads_nothing(results: LossMatrix, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(make_report(results), path, title="Results: <a>")
    page = path.read_text()
    outline = Outline()
    outline.feed(page)
    assert outline.headings == SECTIONS
    assert outline.open == []
    assert outline.loaded == []
    assert not re.search(r"url\((?!#)|@import|<script", page)
    assert "prefers-color-scheme: dark" in page
    assert "&lt;old&gt;" in page
    assert "<old>" not in page
    assert page.count("<svg ") == 2


def test_the_numbers_are_those_of_the_library(results: LossMatrix, tmp_path: Path) -> None:
    report = make_report(results)
    ranges = {one.system: one for one in lb.rank_ranges(results)}
    assert {one.system: one for one in report.ranges} == ranges
    assert report.winner == lb.winner_estimate(results)
    write_report(report, tmp_path / "report.md", title="Results")
    text = (tmp_path / "report.md").read_text()
    new = ranges["new"]
    assert f"| 1 | {new.best} | new | {100 * (1 - new.score):.2f} % | {new.group} |" in text
    assert "**new is first with accuracy 8" in text  # by the ranges: nobody else can be
    assert "table.csv: left out column 'id'" in text
    assert "they come in 100 independent groups" in text
    assert "the mean of up to 3 runs" in text
    assert "Every aggregation names the same winner, new" in text
    assert "2024-01-01 to 2025-01-01; runs of one day are one batch" in text
    assert r"b\|c" in text
    assert r"\*star\*" in text
    for name in ("report-ranks.svg", "report-records.svg"):
        assert ElementTree.fromstring((tmp_path / name).read_text()).tag.endswith("svg")


def test_who_may_be_first_is_said_by_the_ranges_alone(tmp_path: Path) -> None:
    losses = (np.random.default_rng(2).random((80, 5)) < [0.3, 0.3, 0.3, 0.3, 0.9]).astype(float)
    report = make_report(LossMatrix.of(losses))
    write_report(report, tmp_path / "report.html", title="Results")
    may = sum(one.could_be_first for one in report.ranges)
    assert may > 1
    assert f"; {may} of 5 systems may be first (95 % confidence)." in (tmp_path / "report.html").read_text()


def test_systems_with_the_same_score_are_level(tmp_path: Path) -> None:
    report = make_report(LossMatrix.of([[0, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 1]] * 5, systems=["a", "b", "c"]))
    write_report(report, tmp_path / "report.md", title="Results")
    text = (tmp_path / "report.md").read_text()
    assert "**a, b are level with loss 0.5000; " in text
    assert "a has the best loss of 3, 0.5000 (so has b; the first is taken). Corrected" in text


def test_the_badge_shows_the_range_of_a_system(results: LossMatrix, tmp_path: Path) -> None:
    report = make_report(results)
    write_badge(report, tmp_path / "badge.svg", system="*star*")
    one = report.find_range("*star*")
    text = "".join(ElementTree.fromstring((tmp_path / "badge.svg").read_text()).itertext())
    assert f"ranks {one.best}–{one.worst} of 4, n = 300" in text
    write_badge(report, tmp_path / "badge.svg")
    assert "rank 1 of 4, n = 300" in (tmp_path / "badge.svg").read_text()


def test_bad_requests_are_one_sentence(results: LossMatrix, tmp_path: Path) -> None:
    report = make_report(results)
    with pytest.raises(InputError, match=r"report.pdf: the name of a report must end in .html or .md"):
        write_report(report, tmp_path / "report.pdf", title="Results")
    with pytest.raises(InputError, match=r"no system is called 'nobody'; there are new, "):
        write_badge(report, tmp_path / "badge.svg", system="nobody")
    with pytest.raises(InputError, match="a report compares at least two"):
        make_report(results.select(["new"]))


def test_battles_have_a_page_of_their_own(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    names = np.array(["<good>", "fair", "poor"])
    pairs = np.array([rng.choice(3, 2, replace=False) for _ in range(300)])
    won = (rng.random(300) < 1 / (1 + np.exp(pairs[:, 0] - pairs[:, 1]))).astype(float)
    battles = Battles.of(names[pairs[:, 0]].tolist(), names[pairs[:, 1]].tolist(), won.tolist())
    report = make_report(battles)
    write_report(report, tmp_path / "report.html", title="Battles")
    page = (tmp_path / "report.html").read_text()
    outline = Outline()
    outline.feed(page)
    assert outline.headings == [
        *("What was read", "Ranks", "Groups of ties", "Does one strength for each system fit?", "What was assumed")
    ]
    best = report.find_range("<good>")
    assert f"<td>1</td><td>{best.best}</td><td>&lt;good&gt;</td><td>{-best.score:.4f}</td>" in page
    assert report.ranking.fit.sentence() in page
    write_badge(report, tmp_path / "badge.svg")
    assert "rank 1 of 3, n = 300" in (tmp_path / "badge.svg").read_text()


def test_bars_stay_within_the_picture(results: LossMatrix) -> None:
    picture = draw_rank_ranges(make_report(results).ranges, ACCURACY)
    bars = [
        (float(x), float(width)) for x, width in re.findall(r'<rect x="([\d.]+)" y="\d+" width="([\d.]+)"', picture)
    ]
    assert len(bars) == 4
    assert all(x >= 0 and x + width <= WIDTH for x, width in bars)
