"""Competitions: a folder with competition.toml and solution.csv, read into a `Competition`."""

from ladderboard.competition.checks.findings import Finding
from ladderboard.competition.former_defaults import keep_former_defaults, list_readings
from ladderboard.competition.loading import Inspection, inspect_folder, load_competition
from ladderboard.competition.model import Competition, Limits, Rules, Solution, TeamRules
from ladderboard.competition.rereading import change_rules, compute_content_digest, reread_competition
from ladderboard.competition.rules.rule_changes import RuleChange, find_changes
from ladderboard.competition.rules.rules_json import rules_from_json, rules_to_json
from ladderboard.competition.solution.digest import list_file_digests, solution_digest
from ladderboard.competition.solution.kept import pack_solution, unpack_solution
from ladderboard.scoring.custom_metric import limit_time

__all__ = [
    "Competition",
    "Finding",
    "Inspection",
    "Limits",
    "RuleChange",
    "Rules",
    "Solution",
    "TeamRules",
    "change_rules",
    "compute_content_digest",
    "find_changes",
    "inspect_folder",
    "keep_former_defaults",
    "limit_time",
    "list_file_digests",
    "list_readings",
    "load_competition",
    "pack_solution",
    "reread_competition",
    "rules_from_json",
    "rules_to_json",
    "solution_digest",
    "unpack_solution",
]
