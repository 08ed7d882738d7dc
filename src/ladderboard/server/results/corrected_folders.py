"""What a correction keeps: the rules that count, and the rows where they are; and the folder of a made competition."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ladderboard.competition import (
    Competition,
    change_rules,
    keep_former_defaults,
    load_competition,
    rules_from_json,
    solution_digest,
)
from ladderboard.competition.rules.toml_edit import Key, TomlValue, set_values
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.core.errors import ConflictError
from ladderboard.server.competitions.records import CompetitionRecord
from ladderboard.server.competitions.stored_folders import NewFolder, change_files
from ladderboard.server.services import Services


def keep_rules(row: CompetitionRecord, corrected: Competition) -> Competition:
    """The correction under the rules that count: of one made in the browser the copy of its folder may be older."""
    before = rules_from_json(row.rules)
    corrected = keep_former_defaults(corrected, before)
    if row.folder is None:
        return corrected
    rules = corrected.rules
    return change_rules(
        corrected,
        replace(before, metric=rules.metric, metric_options=rules.metric_options, positive=rules.positive),
    )


def keep_split(served: Competition, corrected: Competition) -> Competition:
    """The correction with every row on its side, where the split is drawn as it was.

    Drawn anew, it would follow the corrected classes, and a third of the rows would change sides with one label.
    """
    old, new = served.solution, corrected.solution
    drawn = [(one.solution_settings.public_share, one.solution_settings.split_seed) for one in (served, corrected)]
    if drawn[1][0] is None or drawn[0] != drawn[1] or not np.array_equal(old.ids, new.ids):
        return corrected
    return replace(corrected, solution=replace(new, usage=old.usage))


def put_folder(services: Services, row: CompetitionRecord, corrected: Competition) -> NewFolder | None:
    """The corrected folder of a competition that was made in the browser; None of any other.

    Of the correction it takes the solution and the metric: its other rules may be older than those that count.
    """
    if row.folder is None:
        return None
    assert corrected.folder is not None, "a correction is read from a folder"
    name, text = corrected.solution_settings.file, (services.folders.check_out(row.folder) / FILE).read_text("utf-8")
    edits: dict[Key, TomlValue | None] = {("solution", key): value for key, value in _list_settings(corrected)}
    edits[("", "metric")], edits[("", "positive")] = corrected.rules.metric, corrected.rules.positive
    changes = {
        FILE: set_values(text, edits).encode(),
        name: (corrected.folder / name).read_bytes(),
    }
    with services.folders.copy(row.folder) as folder:
        change_files(folder, changes)
        if solution_digest(load_competition(folder)) != solution_digest(corrected):
            raise ConflictError(f"{row.slug}: this correction changes more than labels, rows and the metric's name")
    return services.folders.put(changes, base=row.folder)


def _list_settings(corrected: Competition) -> Iterator[tuple[str, TomlValue | None]]:
    settings = corrected.solution_settings
    for key, values in (
        ("label", settings.labels),
        ("predictions", settings.predictions),
        ("classes", settings.classes),
    ):
        yield key, (values[0] if len(values) == 1 and key == "label" else list(values)) or None
    for key in ("file", "id", "usage", "group", "weight", "public_share", "split_seed"):
        yield key, getattr(settings, key)
