"""The `--set name=value` option."""

import json
from typing import Any

from ladderboard.core.errors import ParameterError


def parse_parameters(settings: tuple[str, ...], *, option: str = "--set") -> dict[str, Any]:
    """Parse ``name=value`` pairs; a value is a number, true, false, null, or else text.

    >>> parse_parameters(("step_size=.01", "redraw=true", "note=abc"))
    {'step_size': 0.01, 'redraw': True, 'note': 'abc'}
    """
    return dict(_pair(setting, option) for setting in settings)


def _pair(setting: str, option: str) -> tuple[str, Any]:
    name, separator, value = setting.partition("=")
    if not separator or not name:
        raise ParameterError(f"{option} {setting}: write it as name=value")
    # JSON requires a zero before the point; people leave it out.
    text = value.replace(".", "0.", 1) if value.startswith((".", "-.")) else value
    try:
        return name, json.loads(text)
    except ValueError:
        return name, value
