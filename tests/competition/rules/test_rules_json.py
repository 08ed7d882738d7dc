import json
import math
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from ladderboard.competition import Rules, load_competition, rules_from_json, rules_to_json
from tests.competition.folders import write_folder
from tests.competition.rules.test_rules_file import EVERY_KEY


def test_rules_survive_the_way_through_json(tmp_path: Path) -> None:
    rules = load_competition(write_folder(tmp_path, EVERY_KEY)).rules
    text = rules_to_json(rules)
    assert rules_from_json(text) == rules
    assert rules_to_json(rules_from_json(text)) == text


def test_equal_moments_in_other_zones_have_equal_text() -> None:
    moment = datetime(2027, 1, 1, 12, tzinfo=UTC)
    first, second = (
        Rules(slug="w", title="W", metric="auc", mechanism="ladder", deadline=at)
        for at in (moment, moment.astimezone(timezone(timedelta(hours=5))))
    )
    assert rules_to_json(first) == rules_to_json(second)


def test_rules_of_an_older_version_get_the_defaults() -> None:
    rules = rules_from_json('{"slug":"w","title":"W","metric":"auc","mechanism":"ladder","gone":1}')
    assert rules == Rules(slug="w", title="W", metric="auc", mechanism="ladder")


def test_bounds_without_end_survive_and_are_plain_json(tmp_path: Path) -> None:
    options = "file = 'metric.py'\nlower_is_better = true\nbounds = [-inf, inf]\ntakes = 'classes'\n"
    toml = f"title = 'W'\nslug = 'w'\n[metric]\n{options}"
    source = "def score(labels, predictions):\n    return float((labels != predictions).mean())\n"
    competition = load_competition(write_folder(tmp_path, toml, metric__py=source))
    assert competition.metric.bounds == (-math.inf, math.inf)
    text = rules_to_json(competition.rules)
    assert rules_from_json(text) == competition.rules
    json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
