"""Runs of one model with different settings: names that tell them apart."""

import json
from collections.abc import Sequence
from typing import Any


def read_arguments(results: dict[str, Any]) -> dict[str, str]:
    """The arguments of the model in a results file of lm-eval: a mapping, in older files a string."""
    given = (results.get("config") or {}).get("model_args") or {}
    pairs = given.items() if isinstance(given, dict) else [part.partition("=")[::2] for part in given.split(",")]
    return {key: str(value) for key, value in pairs}


def tell_apart(
    names: Sequence[str], settings: Sequence[dict[str, Any]], within: Sequence[str] | None = None
) -> list[str]:
    """The names, with the settings that differ between those of one name in one task: ``model (temperature=0.7)``."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault((name, within[place] if within else ""), []).append(place)
    differing: dict[str, set[str]] = {}
    for (name, _), same in places.items():
        keys = {key for place in same for key in settings[place]}
        differing.setdefault(name, set()).update(
            key for key in keys if len({json.dumps(settings[place].get(key)) for place in same}) > 1
        )
    return [_add_settings(name, differing[name], settings[place]) for place, name in enumerate(names)]


def _add_settings(name: str, keys: set[str], settings: dict[str, Any]) -> str:
    shown = [f"{key}={settings[key]}" for key in sorted(keys) if settings.get(key) is not None]
    return f"{name} ({', '.join(shown)})" if shown else name
