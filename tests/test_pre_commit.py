"""What runs before a commit is what `make check` runs."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent


def test_the_hooks_are_the_commands_of_make_check() -> None:
    recipe = re.search(r"^check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert recipe is not None
    checked = [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe[1].splitlines()]
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [hook["entry"] for hook in local["hooks"]] == checked
