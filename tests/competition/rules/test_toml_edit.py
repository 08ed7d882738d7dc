"""Edits of competition.toml: exactly the keys that were asked for change, and explanations stay."""

import tomllib
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.rules.rules_file import read_rules
from ladderboard.competition.rules.toml_edit import Key, TomlValue, set_values
from ladderboard.competition.rules.toml_template import Draft, competition_toml
from ladderboard.competition.solution.columns import SolutionColumns
from ladderboard.competition.solution.guessing import MetricProposal
from ladderboard.core.errors import ParameterError

TEMPLATE = competition_toml(
    Draft(
        title="Whales",
        slug="whales",
        proposal=MetricProposal("auc", "two classes"),
        positive=None,
        columns=SolutionColumns("id", ("label",), None, None, None),
        solution_file="solution.csv",
        public_share=0.5,
        split_seed="0" * 32,
    )
)
EDITS: dict[Key, TomlValue] = {
    ("", "title"): 'A "title" # with \\ everything\u007f',
    ("", "summary"): "One line",
    ("", "metric"): "accuracy",
    ("", "positive"): "yes",
    ("", "mechanism"): "ladder",
    ("", "opens"): datetime(2027, 1, 2, 9, 0),  # as TOML has it: the zone is a key of its own
    ("", "deadline"): datetime(2027, 3, 2, 9, 0),
    ("", "time_zone"): "Europe/Berlin",
    ("", "finals"): 3,
    ("", "reveal"): "deadline",
    ("", "visibility"): "unlisted",
    ("limits", "per_day"): "none",
    ("limits", "total"): 40,
    ("teams", "largest"): 1,
    ("teams", "merging"): False,
    ("solution", "public_share"): 0.3,
    ("solution", "classes"): ["a", 'b"'],
}


def test_every_key_of_the_template_can_be_set_and_keeps_its_explanation(tmp_path: Path) -> None:
    edited = set_values(TEMPLATE, EDITS)
    (tmp_path / "competition.toml").write_text(edited)
    findings = Findings()
    found = read_rules(tmp_path, findings)
    assert not findings.found
    assert found is not None
    assert found.rules.title == EDITS["", "title"]
    assert (found.rules.limits.per_day, found.rules.limits.total, found.rules.teams.largest) == (None, 40, 1)
    assert found.solution.classes == ("a", 'b"')
    assert 'visibility = "unlisted"       # "unlisted": for anyone with the address' in edited
    assert edited.count("\n") == TEMPLATE.count("\n")


def test_a_key_set_and_put_back_is_as_before() -> None:
    edited = set_values(TEMPLATE, EDITS)
    back = set_values(edited, dict.fromkeys(EDITS))
    wanted = {key: value for key, value in tomllib.loads(TEMPLATE).items() if ("", key) not in EDITS}
    found = tomllib.loads(back)
    assert {key: found[key] for key in ("slug",)} == {"slug": wanted["slug"]}
    assert "per_day" not in found.get("limits", {})
    assert set_values(back, EDITS) == edited


@example("a\u2028b\x85c")
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_text_comes_back_as_it_was_written(text: str) -> None:
    once = set_values(TEMPLATE, {("", "title"): text})
    assert tomllib.loads(once)["title"] == text
    assert set_values(once, {("", "title"): "Whales"}) == TEMPLATE


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('title = """a\nb"""\n', ("", "title")),
        ("[limits]\nper_day = [\n1]\n", ("limits", "per_day")),
        ("limits = {per_day = 3}\n", ("limits", "per_day")),
        ("limits.per_day = 3\n", ("limits", "per_day")),
    ],
)
def test_what_is_written_in_an_unusual_way_is_refused_and_never_guessed(text: str, key: tuple[str, str]) -> None:
    with pytest.raises(ParameterError, match="cannot be edited here"):
        set_values(text, {key: 9})
