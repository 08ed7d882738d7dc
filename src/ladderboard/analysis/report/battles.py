"""The report of battles: strengths with rank ranges, groups of ties, and whether one strength for each system fits.

There is no winner's estimate: strengths are known only relative to each other, and the best one has no score of its own
that luck could have raised. There are no records over time either: a battle is between two systems of one time.
"""

from dataclasses import dataclass

from ladderboard.analysis.report.provenance import Provenance
from ladderboard.analysis.report.rows import Row
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
    rows: tuple[Row, ...]
    """The table: the best first."""
    confidence: float
    provenance: Provenance
    measure: Measure = STRENGTH

    @property
    def ranges(self) -> tuple[RankRange, ...]:
        """The best first."""
        return tuple(row.range for row in self.rows)

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


def make_battles_report(battles: Battles, *, confidence: float, seed: int, provenance: Provenance) -> BattlesReport:
    """Every analysis of a set of battles."""
    from scipy.special import ndtri

    ranking, quantile = rank_battles(battles, confidence, seed=seed), float(ndtri((1 + confidence) / 2))
    rows = []
    for one, error in zip(ranking.ranges, ranking.standard_errors.tolist(), strict=True):
        half = quantile * error
        rows.append(Row(one, -one.score, (-one.score - half, -one.score + half), {}))
    rows.sort(key=lambda row: (row.range.rank, row.range.best, row.range.worst))
    return BattlesReport(battles, ranking, tuple(rows), confidence, provenance)


def list_battle_assumptions(report: BattlesReport) -> list[str]:
    """What the strengths and ranges rest on."""
    independent = (
        f"The {report.units:,} battles are independent of each other; a column 'item' would tell which are on one item."
        if report.battles.items is None
        else f"The {report.units:,} items are independent of each other; battles on one item need not be."
    )
    return [
        "A system beats another with a probability that depends on the difference of their strengths (Bradley–Terry): "
        "a difference of 1 is 73 % of the points. A tie is half a win for each side.",
        independent,
    ]
