"""The demo as a person starts it: a process of its own, a page, a file to try, a finish."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
from click.testing import CliRunner

from ladderboard.cli.host.demo_attack import probe
from ladderboard.cli.main import cli
from tests.web.pages.accessibility import assert_accessible


def started(data: Path) -> tuple["subprocess.Popen[str]", list[str]]:
    """The demo's process, and what it printed until it serves."""
    command = [str(Path(sys.executable).with_name("ladderboard")), "demo", "--fast", "--no-browser", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--data", str(data)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if "Stop" in line:
            return process, lines
    raise AssertionError("".join(lines))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "demo"


@pytest.fixture(scope="module")
def running(data: Path) -> Iterator[tuple[str, str]]:
    """The address and the printed words of a running demo."""
    process, lines = started(data)
    words = "".join(lines)
    found = re.search(r"http://\S+", words)
    assert found is not None, words
    try:
        yield found[0].removesuffix("/demo"), words
    finally:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
        assert "Traceback" not in out, out
        assert process.returncode == 0, out


def sign_in(http: httpx.Client, name: str) -> str:
    """Sign in; returns the form's token."""
    token = csrf(http.get("/sign-in").text)
    answer = http.post("/sign-in", data={"csrf": token, "name": name, "password": "ladderboard", "next": "/demo"})
    assert answer.status_code == 200, answer.text
    return csrf(answer.text)


def csrf(html: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', html)
    assert found is not None
    return found[1]


def test_both_boards_get_the_same_submissions_but_for_the_last_which_is_made_of_the_answers() -> None:
    labels = np.arange(40) % 2
    asked: list[list[list[int]]] = [[], []]

    def open_board(predictions: np.ndarray) -> float:
        asked[0].append(predictions.tolist())
        return float((predictions == labels).mean())

    def silent_board(predictions: np.ndarray) -> None:
        asked[1].append(predictions.tolist())

    last, guesses = probe(open_board, 40), probe(silent_board, 40)
    assert asked[0] == asked[1]
    assert len(asked[0]) == 41
    assert last.tolist() == labels.tolist() != guesses.tolist()


def test_the_story_is_told_and_true_from_the_first_page_to_the_reveal(running: tuple[str, str], data: Path) -> None:
    url, words = running
    ranks = re.search(r"rank (\d+) of (\d+) on a board that shows every score, rank (\d+) of (\d+) here", words)
    assert ranks is not None, words
    assert [int(one) for one in ranks.groups()] == [1, 7, 7, 7]
    for told in ("olivia, password", "pat, password", "try-me.csv", "Ctrl+C", "rm -r"):
        assert told in words
    with httpx.Client(base_url=url, headers={"Accept": "text/html"}, follow_redirects=True, timeout=120) as http:
        page = http.get("/demo").text
        assert_accessible(page)
        assert "Private rows" not in page
        token = csrf(http.get("/demo/attack").text)
        assert http.post("/demo/attack", data={"csrf": "forged", "times": "1"}).status_code == 403
        guessed = http.post("/demo/attack", data={"csrf": token, "times": "100"}).text
        assert_accessible(guessed)
        assert "100 guesses" in guessed
        assert "101 guesses" in http.post("/demo/attack", data={"csrf": token, "times": "1"}).text
        assert "guesses</text>" not in http.post("/demo/attack", data={"csrf": token, "times": ""}).text
        assert http.post("/demo/finish", data={"csrf": csrf(page)}).status_code in (200, 401)
        assert "Private rows" not in http.get("/demo").text, "nobody but the organiser ends it"
        shown = http.get("/competitions/odd-or-even/data").text
        assert "1,0\n2,1\n3,0\n" in shown, "rows with a prediction in them, to be written like"
        token = sign_in(http, "pat")
        assert http.post("/demo/finish", data={"csrf": token}).status_code == 403
        file = {"file": ("try-me.csv", (data / "try-me.csv").read_bytes(), "text/csv")}
        result = http.post("/competitions/odd-or-even/submit", data={"csrf": token}, files=file)
        assert re.search(r"Score 0\.\d+ → 0\.\d+\.", result.text), result.text
        http.cookies.clear()
        token = sign_in(http, "olivia")
        assert http.post("/demo/finish", data={"csrf": "forged"}).status_code == 403
        over = http.post("/demo/finish", data={"csrf": token})
        assert over.status_code == 200
        assert_accessible(over.text)
        assert "Private rows" in over.text
        assert http.post("/demo/finish", data={"csrf": token}).status_code == 200, "once more changes nothing"


@pytest.mark.usefixtures("running")
def test_a_finished_demo_is_served_again_and_not_made_again(data: Path) -> None:
    made = (data / "full-disclosure.json").stat().st_mtime_ns
    process, lines = started(data)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode == 0
    assert any("Lucky Strike made 242 submissions" in line for line in lines)
    assert (data / "full-disclosure.json").stat().st_mtime_ns == made


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    result = CliRunner().invoke(cli, ["demo", "--no-browser", "--port", "0", "--data", str(tmp_path)])
    assert result.exit_code != 0
    assert "is not a demo" in result.output + str(result.exception)
    assert [one.name for one in tmp_path.iterdir()] == ["thesis.txt"]
