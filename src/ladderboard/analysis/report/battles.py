"""The report of battles: strengths with rank ranges, groups of ties, and whether one strength for each system fits.

There is no winner's estimate: strengths are known only relative to each other, and the best one has no score of its own
that luck could have raised. There are no records over time either: a battle is between two systems of one time.
"""

from dataclasses import dataclass

from ladderboard.analysis.pages import PageSection
from ladderboard.analysis.report.ranks_sections import describe_share, describe_top, write_ranks, write_ties
from ladderboard.core.errors import InputError
from ladderboard.evals import Battles
from ladderboard.inference.battles.ranking import BattleRanking, rank_battles
from ladderboard.inference.measure import Measure
from ladderboard.inference.rank_ranges import RankRange

STRENGTH = Measure("strength", 0.0)


@dataclass(frozen=True, eq=False)
class BattlesReport:
    """The ranking of the systems of one set of battles."""

    battles: Battles
    ranking: BattleRanking
    ranges: tuple[RankRange, ...]
    """The best first."""
    confidence: float

    @property
    def units(self) -> int:
        """Items, or battles where the items are not known."""
        return self.ranking.units

    def find_range(self, system: str) -> RankRange:
        """The range of one system."""
        for one in self.ranges:
            if one.system == system:
                return one
        raise InputError(f"no system is called {system!r}; there are {', '.join(one.system for one in self.ranges)}")


def make_battles_report(battles: Battles, *, confidence: float = 0.95, seed: int = 0) -> BattlesReport:
    """Every analysis of a set of battles."""
    ranking = rank_battles(battles, confidence, seed=seed)
    ordered = sorted(ranking.ranges, key=lambda one: (one.rank, one.best, one.worst))
    return BattlesReport(battles, ranking, tuple(ordered), confidence)


def describe_battles_top(report: BattlesReport) -> str:
    """Who leads, and who else may be first."""
    return describe_top(report.ranges, STRENGTH, report.confidence)


def list_battle_sections(report: BattlesReport) -> list[PageSection]:
    """The sections of the page."""
    errors = {
        one.system: error for one, error in zip(report.ranking.ranges, report.ranking.standard_errors, strict=True)
    }
    ordered = [float(errors[one.system]) for one in report.ranges]
    return [
        PageSection("What was read", list(report.battles.notes)),
        write_ranks(report.ranges, STRENGTH, report.confidence, errors=ordered),
        write_ties(report.ranges),
        PageSection("Does one strength for each system fit?", [report.ranking.fit.sentence()]),
        _write_assumptions(report),
    ]


def _write_assumptions(report: BattlesReport) -> PageSection:
    independent = (
        f"The {report.units} battles are independent of each other; a column 'item' would tell which are on one item."
        if report.battles.items is None
        else f"The {report.units} items are independent of each other; battles on one item need not be."
    )
    return PageSection(
        "What was assumed",
        [
            "A system beats another with a probability that depends on the difference of their strengths "
            "(Bradley–Terry): a difference of 1 is 73 % of the points. A tie is half a win for each side.",
            independent,
            f"The ranges hold for all systems at once with {describe_share(report.confidence)} confidence.",
        ],
    )
