"""docs/theory/attacks.md has a section for every attack, and its commands print what it says."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from ladderboard.cli.main import cli
from ladderboard_lab.attacks import ATTACKS

PAGE = Path("docs/theory/attacks.md").read_text(encoding="utf-8")
FIELD = {
    "board": "overfit",
    "final vector": "final_overfit",
    "revealed": "revealed",
    "estimate off by": "estimate_error",
}


def measurements() -> list[tuple[str, dict[str, str]]]:
    """(options, heading → what the page says) for every line of a table."""
    found: list[tuple[str, dict[str, str]]] = []
    heading: list[str] = []
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `ladderboard lab attack`"):
            heading = cells
        elif line.startswith("| `--attack"):
            found.append((cells[0].strip("`"), dict(zip(heading[1:], cells[1:], strict=True))))
    return found


def test_every_attack_has_a_section_and_a_measurement() -> None:
    assert set(re.findall(r"^## (\w+)$", PAGE, flags=re.MULTILINE)) == set(ATTACKS)
    assert {options.split()[1] for options, _ in measurements()} == set(ATTACKS)


@pytest.mark.slow
@pytest.mark.parametrize(("options", "said"), measurements())
def test_a_command_prints_what_the_page_says(options: str, said: dict[str, str]) -> None:
    result = CliRunner().invoke(cli, ["lab", "attack", *options.split(), "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert f"{told['accepts']:,}" == said["accepts"]
    assert f"{told['submissions']:,}" == said["used"]
    for heading in FIELD.keys() & said.keys():
        assert says(told[FIELD[heading]], said[heading]), heading


def says(number: float | None, words: str) -> bool:
    """Whether the page's words are that number, rounded as there."""
    if number is None:
        return words == "–"
    if words.endswith("%"):
        return round(100 * number) == int(words.removesuffix("%"))
    return round(number, len(words.split(".")[1])) == float(words)
