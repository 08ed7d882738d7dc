"""The time that each experiment takes at its quick size, as `scripts/experiment_seconds.py` measured it."""

import json
from pathlib import Path

FILE = Path(__file__).with_suffix(".json")


def read_quick_seconds() -> dict[str, float]:
    """Id → seconds of one core; experiments from outside are not there."""
    found: dict[str, float] = json.loads(FILE.read_text(encoding="utf-8"))
    return found
