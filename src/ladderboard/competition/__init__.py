"""A competition: a folder with competition.toml and solution.csv → `Competition`."""

from ladderboard.competition.model import Competition, Limits, Rules, Solution, TeamRules

__all__ = ["Competition", "Limits", "Rules", "Solution", "TeamRules"]
