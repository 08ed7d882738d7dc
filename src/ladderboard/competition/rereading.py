"""Rereading of a folder while its competition runs: the rules and the description.

Labels, split, metric and mechanism stay those that were committed to.
"""

import hashlib
from dataclasses import replace
from pathlib import Path

from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.checks.soundness import check_rules
from ladderboard.competition.former_defaults import keep_former_defaults
from ladderboard.competition.loading import DESCRIPTION, load_competition, read_description
from ladderboard.competition.model import Competition, Rules
from ladderboard.competition.rules.rules_file import RulesFile, read_rules
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.submission_format import limit_size

KEYS = ("whole", "public", "private")


def compute_content_digest(folder: Path) -> str:
    """A hash of the files that are read again; a file that is missing or cannot be read counts as empty."""
    digest = hashlib.sha256()
    for name in (FILE, DESCRIPTION):
        try:
            content = (folder / name).read_bytes()
        except OSError:
            content = b""
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def reread_competition(competition: Competition) -> Competition:
    """Read the rules and the description of a competition's folder again.

    Raises `CompetitionError` with all problems. Whether a running competition may make these changes is for
    `find_changes` to say.
    """
    folder, findings = competition.folder, Findings()
    assert folder is not None, "a competition in memory has nothing to read again"
    description = read_description(folder, findings)
    settings = read_rules(folder, findings)
    findings.raise_errors(str(folder))
    assert settings is not None, "its absence is an error"
    rules = settings.rules
    if rules.positive is None or str(rules.positive) == str(competition.rules.positive):
        rules = replace(rules, positive=competition.rules.positive)
    if (rules.metric_options, rules.positive) != (competition.rules.metric_options, competition.rules.positive):
        # the metric is another object, with other limits of its process, or refused
        return keep_former_defaults(load_competition(folder), competition.rules)
    changed = change_rules(competition, rules, description=description)
    changed = keep_former_defaults(changed, competition.rules)
    _refuse_other_table(competition, settings, findings)
    check_rules(changed, settings.toml, findings)
    findings.raise_errors(str(folder))
    return changed


def change_rules(competition: Competition, rules: Rules, *, description: str | None = None) -> Competition:
    """The competition under other rules, with the answer keys it has computed."""
    changed = replace(
        competition,
        rules=rules,
        format=limit_size(competition.format, competition.solution, rules.limits),
        description=competition.description if description is None else description,
    )
    vars(changed).update({name: vars(competition)[name] for name in KEYS if name in vars(competition)})
    return changed


def _refuse_other_table(competition: Competition, settings: RulesFile, findings: Findings) -> None:
    if settings.solution != competition.solution_settings:
        findings.error(
            FILE,
            settings.toml.line("solution"),
            "[solution] changed, but the labels, the split and the submission format are fixed while the competition "
            "runs; put the table back (`ladderboard rescore` publishes a corrected solution)",
        )
