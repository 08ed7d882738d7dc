"""What is told to people to install: never a bare name, which nobody has published and anybody could register."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
INSTALLS = re.compile(
    r"\b(?:pip3?|pipx|uv|uvx|poetry|conda)\b(?: +(?:install|run|add|tool|pip|with|--?[\w-]+(?:[= ]\d[\w.]*)?))*"
    r" +[\"'`]?ladderboard(?![\w/-])(?!(?:\[[\w,]*\])? *@)",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    "words",
    [
        "pip install ladderboard",
        "pip install 'ladderboard[server]'",
        'python -m pip install --quiet "ladderboard[files]"',
        "uvx ladderboard",
        "uv add ladderboard",
        "uv tool install ladderboard",
        "pipx run ladderboard",
    ],
)
def test_a_bare_name_is_found(words: str) -> None:
    assert INSTALLS.search(words)


@pytest.mark.parametrize(
    "words",
    [
        "pip install '.[server]'",
        "pip install 'ladderboard[server] @ git+https://git.example.org/us/ladderboard@3f2a'",
        "/opt/ladderboard/bin/pip install .",
        "uv run ./ladderboard",
    ],
)
def test_a_checkout_or_an_address_is_none(words: str) -> None:
    assert not INSTALLS.search(words)


def test_no_tracked_file_installs_a_bare_name() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    found = {}
    for name in listed.stdout.splitlines():
        if name == "tests/test_installing.py":
            continue
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            continue
        if match := INSTALLS.search(text):
            found[name] = match[0]
    assert found == {}


def test_the_action_installs_nothing_by_name() -> None:
    text = (ROOT / "integrations" / "github-action" / "action.yml").read_text()
    assert "default: ladderboard" not in text
