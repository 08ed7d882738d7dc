"""The report of a loop: what was kept, what is certified, and what the open tasks make of luck."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.core.words import pluralise
from ladderboard.drawing.elements import Drawing, escape
from ladderboard.drawing.markdown import escape_markdown, render_table
from ladderboard.drawing.page import PageSection, write_page
from ladderboard.drawing.standing_alone import make_standing_alone
from ladderboard.loop.picture import draw_loop
from ladderboard.loop.proposal import CONVINCED, Proposal

if TYPE_CHECKING:
    from ladderboard.loop.loop import Loop

FORMATS = (".html", ".md", ".svg")
CAPTION = (
    "The open score is what a search climbs; a part of every rise is luck. A number is certified only for what is "
    "proven better on tasks that steer nothing."
)
TITLE = "Open and certified score over the proposals"
SHOWN_LAST = 20
"""Proposals that the comment of a pull request lists."""


@dataclass(frozen=True)
class LoopReport:
    """A loop as it stands; `write` makes a page or a picture of it, a notebook shows the picture.

    ``interval``: 95 %, of the certified number. ``truth``: true scores by proposal, where somebody knows them.
    """

    proposals: Sequence[Proposal]
    open_tasks: int
    guarded_tasks: int
    interval: tuple[float, float] | None
    grader: str
    grader_changes: float | None
    truth: Mapping[int, float] = field(default_factory=dict)

    @property
    def certified(self) -> Proposal | None:
        """The last certified proposal."""
        return next((one for one in reversed(self.proposals) if one.certified), None)

    def sentence(self) -> str:
        """The state in a sentence or two."""
        kept = [one for one in self.proposals if one.kept]
        if not kept:
            return "Nothing is proposed yet; propose the system in use first."
        told = f"The open score of what is kept is {kept[-1].open_score:.4g} (proposal {kept[-1].number})."
        last = self.certified
        if last is None:
            return f"{told} Nothing is certified yet: no candidate is proven better than the reference."
        return f"{told} Certified is {self._write_number(last)}, proposal {last.number}."

    def summarise(self, since: date | None = None) -> str:
        """Count the promotions: what the open tasks alone took for better, and what the guarded ones prove."""
        later = [one for one in self.proposals if one.number > 1 and (since is None or _day(one) >= since)]
        when = "" if since is None else f" since {since.isoformat()}"
        if not later:
            return f"No candidate was proposed{when} after the reference."
        kept = [one for one in later if one.kept]
        certified = sum(one.certified for one in kept)
        convinced = sum(one.asked for one in kept)
        return (
            f"{pluralise('{n} candidate', '{n} candidates', len(later))} after the reference{when}: {len(kept)} kept "
            f"for a higher open score, of which {convinced} led the last certified one by {CONVINCED:g} standard "
            f"errors, so that the guard was asked. Of these {pluralise('{n} promotion', '{n} promotions', len(kept))} "
            f"{certified} {'is' if certified == 1 else 'are'} certified; {len(kept) - certified} may be luck on the "
            "open tasks."
        )

    def write(self, path: Path | str) -> None:
        """Write a page as .html, which needs nothing else, or .md; or the picture alone as .svg."""
        path = Path(path)
        if path.suffix not in FORMATS:
            raise InputError(
                f"{path.name}: the name of a report must end in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
            )
        if path.suffix == ".svg":
            path.write_text(make_standing_alone(self._draw()), encoding="utf-8")
        else:
            write_page(path, "Loop", self.sentence(), self._list_sections(for_html=path.suffix == ".html"))

    def comment(self, since: date | None = None) -> str:
        """The state as Markdown, for a comment at a pull request."""
        last = self.certified
        head = "nothing certified yet" if last is None else f"certified {self._write_number(last)}{self._compare(last)}"
        rows = _list_rows(self.proposals[-SHOWN_LAST:])
        return f"### Loop: {head}\n\n{escape_markdown(self.summarise(since))}\n\n{render_table(rows)}\n"

    def _repr_html_(self) -> str:
        source = (
            f"data:image/svg+xml;charset=utf-8,{quote(make_standing_alone(self._draw()))}" if self.proposals else ""
        )
        image = f'<img src="{source}" alt="" style="max-width: 46rem; width: 100%">' if source else ""
        return f"<p>{escape(self.sentence())}</p>{image}<p>{escape(self.summarise())}</p>"

    def _write_number(self, one: Proposal) -> str:
        span = "" if self.interval is None else f" (95 % interval {self.interval[0]:.4g} to {self.interval[1]:.4g})"
        return f"{one.board_value:.4g}{span}"

    def _compare(self, last: Proposal) -> str:
        """The difference to the certified number before; there is none before the first, for the reference has none."""
        before = [one.board_value for one in self.proposals if one.certified and one.number < last.number]
        if not before or before[-1] is None or last.board_value is None:
            return ""
        return f", {last.board_value - before[-1]:+.3g} over the certified number before"

    def _draw(self) -> Drawing:
        return draw_loop(self.proposals, self.truth, TITLE)

    def _list_sections(self, *, for_html: bool) -> list[PageSection]:
        drawing = self._draw()
        over = [CAPTION]
        if self.truth:
            over += _compare_truth(self.proposals, self.truth)
        chart = ("loop", make_standing_alone(drawing)) if drawing and not for_html else None
        facts = [
            f"{pluralise('{n} open task steers', '{n} open tasks steer', self.open_tasks)}, "
            f"{pluralise('{n} guarded task certifies', '{n} guarded tasks certify', self.guarded_tasks)}.",
            f"The grader is {self.grader}; its hash is pinned. {describe_changes(self.grader_changes)}",
        ]
        return [
            PageSection("Scores", over, chart=chart, content=drawing if for_html else Drawing("")),
            PageSection("Promotions", [self.summarise()]),
            PageSection("Proposals", table=_list_rows(self.proposals)),
            PageSection("How it is judged", facts),
        ]


def make_report(loop: "Loop", truth: Mapping[int, float] | None) -> LoopReport:
    """Collect what a loop's file says; every number in it was released."""
    proposals = loop.history()
    known = {one.number for one in proposals}
    given = {} if truth is None else dict(truth)
    if not known.issuperset(given):
        wrong = ", ".join(map(str, sorted(set(given) - known)))
        raise ParameterError(f"true scores of unknown proposals: {wrong}; there are {len(known)}")
    return LoopReport(
        proposals,
        len(loop.open),
        len(loop.guarded),
        loop.interval,
        loop.grader.name,
        loop.grader_changes,
        given,
    )


def describe_changes(share: float | None) -> str:
    """Whether the grader gives the same outputs the same scores, in a sentence."""
    if share is None:
        return "Whether it repeats itself is seen with the reference."
    if share == 0:
        return "Graded twice, the reference's outputs got the same scores."
    return (
        f"It is not deterministic: graded twice, {100 * share:.2g} % of the reference's outputs got another score. "
        "That noise is in every score, and in every standard error."
    )


def _list_rows(proposals: Sequence[Proposal]) -> list[list[str]]:
    rows = [["proposal", "name", "date", "open score", "over what was kept", "decision", "guarded tasks", "certified"]]
    for one in proposals:
        gain = "–" if one.gain is None else f"{one.gain:+.3f} ± {one.gain_error:.3f}"
        number = f"{one.board_value:.4g}" if one.certified and one.board_value is not None else "–"
        cells = [str(one.number), one.name or "–", f"{one.proposed_at:%Y-%m-%d}", f"{one.open_score:.4g}"]
        rows.append([*cells, gain, one.decision, one.verdict, number])
    return rows


def _compare_truth(proposals: Sequence[Proposal], truth: Mapping[int, float]) -> list[str]:
    kept = [one for one in proposals if one.kept and one.number in truth]
    if not kept:
        return []
    last = kept[-1]
    off = last.open_score - truth[last.number]
    side = "above" if off > 0 else "below"
    return [f"The true score of what is kept is {truth[last.number]:.4g}; the open score is {abs(off):.2g} {side} it."]


def _day(one: Proposal) -> date:
    return one.proposed_at.date()
