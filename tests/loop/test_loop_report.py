"""The report of a loop: what its sentences count, its page, its picture, and the comment at a pull request."""

import re
from datetime import UTC, date, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

import ladderboard as lb
from tests.loop.test_loop import make_loop, solve

DAYS = [datetime(2026, 4, 28, tzinfo=UTC), datetime(2026, 4, 30, tzinfo=UTC), datetime(2026, 5, 2, tzinfo=UTC)]


@pytest.fixture
def loop() -> lb.Loop:
    """Kept, certified, discarded, kept without being asked, certified again."""
    clock = iter([*DAYS, *DAYS[-1:] * 9])
    made = make_loop(now=lambda: next(clock))
    for share in (0.5, 0.7, 0.4, 0.71, 0.9):
        made.propose(solve(share), name=f"<{share}>")
    return made


def test_sentences_count_what_the_proposals_say(loop: lb.Loop) -> None:
    report = loop.report()
    told = [(one.kept, one.asked, one.certified) for one in report.proposals]
    assert told[1:] == [(True, True, True), (False, False, False), (True, False, False), (True, True, True)]
    assert report.summarise().startswith("4 candidates after the reference: 3 kept for a higher open score, of which 2")
    assert report.summarise().endswith("Of these 3 promotions 2 are certified; 1 may be luck on the open tasks.")
    later = report.summarise(date(2026, 5, 1))
    assert later.startswith(
        "3 candidates after the reference since 2026-05-01: 2 kept for a higher open score, of which 1"
    )
    assert later.endswith("Of these 2 promotions 1 is certified; 1 may be luck on the open tasks.")
    low, high = loop.interval or (1.0, 0.0)
    assert low < (loop.best or 0.0) < high
    assert f"Certified is {loop.best:.4g} (95 % interval {low:.4g} to {high:.4g}), proposal 5." in report.sentence()


def test_a_loop_without_proposals_or_certificates_says_so() -> None:
    with make_loop() as empty:
        assert empty.report().sentence().startswith("Nothing is proposed yet")
        assert "<img" not in empty._repr_html_()
        empty.propose(solve(0.5))
        assert "Nothing is certified yet" in empty.report().sentence()
        assert empty.report().comment().startswith("### Loop: nothing certified yet")


def test_the_comment_has_the_certified_number_and_its_step(loop: lb.Loop) -> None:
    comment = loop.report().comment(date(2026, 5, 1))
    numbers = [one.board_value or 0.0 for one in loop.history() if one.certified]
    assert re.match(rf"### Loop: certified {numbers[1]:.4g} \(95 % interval [\d.]+ to [\d.]+\), \+", comment)
    assert f"{numbers[1] - numbers[0]:+.3g} over the certified number before" in comment
    assert "&lt;0.9&gt;" in comment
    assert comment.count("\n| ") == 7


@pytest.mark.parametrize("name", ["loop.html", "loop.md", "loop.svg"])
def test_a_page_a_text_and_a_picture_are_written(loop: lb.Loop, tmp_path: Path, name: str) -> None:
    loop.report({1: 0.5, 2: 0.7, 4: 0.71, 5: 0.8}).write(tmp_path / name)
    written = (tmp_path / name).read_text()
    assert "<0.9>" not in written
    if name != "loop.svg":
        assert "The true score of what is kept is 0.8; the open score is 0.06 above it." in written
    picture = tmp_path / ("loop-loop.svg" if name == "loop.md" else name)
    if name != "loop.html":
        root = ElementTree.fromstring(picture.read_text())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert not re.search(r"var\(|light-dark", picture.read_text())


def test_the_picture_stands_at_the_scores(loop: lb.Loop) -> None:
    """A third line where the truth is known; the dots of certificates as high as their number."""
    without, with_truth = (loop.report(truth)._draw() for truth in (None, {1: 0.5, 5: 0.8}))
    assert ("true score" in without, "true score" in with_truth) == (False, True)
    heights = [float(y) for y in re.findall(r'cy="([\d.]+)" r="5"', without)]
    dots = {int(n): float(y) for n, y in enumerate(re.findall(r'cy="([\d.]+)" r="2"', without), 1)}
    told = {one.number: one for one in loop.history()}
    scale = (dots[3] - dots[1]) / (told[3].open_score - told[1].open_score)
    expected = [dots[1] + scale * ((told[n].board_value or 0.0) - told[1].open_score) for n in (2, 5)]
    assert heights == pytest.approx(expected, abs=1.0)


def test_other_files_and_unknown_proposals_are_refused(loop: lb.Loop, tmp_path: Path) -> None:
    with pytest.raises(lb.InputError, match=r"must end in \.html, \.md or \.svg"):
        loop.report().write(tmp_path / "loop.pdf")
    with pytest.raises(lb.InputError, match="true scores of unknown proposals: 9"):
        loop.report({9: 0.5})
    assert "<img" in loop._repr_html_()
