"""A class has a name of its own: whoever reads it knows which is meant."""

import ast
from collections import defaultdict
from pathlib import Path

from tests.contracts.names_in_code import list_sources, place_of


def test_no_class_name_stands_twice_in_the_product() -> None:
    """Private ones may: nobody meets them outside their file."""
    places = find_classes(list(list_sources(but=("versions",))))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_a_name_that_stands_twice_is_found(tmp_path: Path) -> None:
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text("class Team:\n    pass\n\nclass _Task:\n    pass\n")
    found = find_classes(sorted(tmp_path.iterdir()))
    assert {name: len(files) for name, files in found.items()} == {"Team": 2}


def find_classes(sources: list[Path]) -> dict[str, list[str]]:
    """The files of each public class, by its name."""
    places = defaultdict(list)
    for path in sources:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(place_of(path))
    return places
