"""The guide and the file that `new` writes name every key there is."""

from dataclasses import fields
from pathlib import Path

import pytest

from ladderboard.competition.rules import toml_template
from ladderboard.competition.rules.rules_file import TOP_KEYS
from ladderboard.scoring.code_rules import CodeRules
from ladderboard.scoring.custom_metric import OPTIONS

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "competition-folder.md"
LIMITS = ("per_day", "total", "leakage_bits", "max_file_mb")
TEAMS = ("largest", "merging", "merge_until")
SOLUTION = (
    *("file", "answers", "id", "label", "usage", "group", "weight"),
    *("predictions", "classes", "public_share", "split_seed"),
)


@pytest.mark.parametrize("key", [*TOP_KEYS, *LIMITS, *TEAMS, *SOLUTION, *OPTIONS])
def test_the_guide_explains_every_key(key: str) -> None:
    text = GUIDE.read_text()
    assert f"`{key}`" in text or f"\n{key} = " in text


@pytest.mark.parametrize("key", [*TOP_KEYS, *LIMITS, *TEAMS])
def test_a_new_file_shows_every_key(key: str) -> None:
    lines = toml_template._TEMPLATE.splitlines()
    assert any(line.removeprefix("# ").startswith(f"{key} = ") for line in lines)


def test_the_keys_of_the_solution_are_those_of_its_settings() -> None:
    from ladderboard.competition.model import SolutionSettings

    named = {"labels": "label"}
    assert [named.get(field.name, field.name) for field in fields(SolutionSettings)] == list(SOLUTION)


def test_the_guide_and_a_new_file_explain_every_key_of_programs() -> None:
    guide = GUIDE.with_name("programs.md").read_text()
    written = toml_template.code_toml(CodeRules())
    for field in fields(CodeRules):
        assert f"| `{field.name}` |" in guide
        assert f"\n{field.name} = " in written or f"\n# {field.name} = " in written
