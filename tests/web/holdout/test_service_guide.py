"""The guide of the holdout service names what there is: addresses, options, the program of an agent's host."""

import json
import re
from pathlib import Path

from click.testing import CliRunner
from starlette.routing import Route

from ladderboard.cli.guard.serve import serve
from ladderboard.cli.main import cli
from ladderboard.guard.service.body_limit import BodyLimit
from ladderboard.server.holdout.app import SLOW_UPLOAD_SECONDS, create_holdout_app

GUIDE = (Path(__file__).parents[3] / "docs" / "guide" / "holdout-service.md").read_text()


def test_every_address_is_in_the_guide() -> None:
    app = create_holdout_app(None, BodyLimit(1))  # type: ignore[arg-type]  # nothing is asked
    known = {f"{method} {one.path}" for one in app.routes if isinstance(one, Route) for method in one.methods or ()}
    assert set(re.findall(r"`((?:GET|POST) /\w+)`", GUIDE)) == known - {
        f"HEAD {path}" for path in ("/status", "/plan", "/history")
    }
    assert f"{SLOW_UPLOAD_SECONDS:.0f} s and a second for every 50 kB" in GUIDE


def test_every_option_in_the_guide_exists() -> None:
    options = {name for one in serve.params for name in one.opts}
    assert set(re.findall(r"`(--[a-z-]+)", GUIDE)) <= options


def test_the_hosts_configuration_starts_a_command_that_there_is() -> None:
    block = re.search(r"```json\n(.*?)```", GUIDE, re.DOTALL)
    assert block is not None
    server = json.loads(block[1])["mcpServers"]["holdout"]
    assert server["command"] == "ladderboard"
    assert CliRunner().invoke(cli, [*server["args"], "--help"]).exit_code == 0
    assert set(server["env"]) == {"LADDERBOARD_HOLDOUT_TOKEN"}
