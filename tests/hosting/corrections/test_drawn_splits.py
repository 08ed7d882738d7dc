"""A label is corrected where the split was drawn: alike in every class, so that it would be another one."""

from pathlib import Path

import numpy as np
import pytest

from ladderboard.competition import Competition, load_competition
from ladderboard.core.errors import ConflictError
from ladderboard.server.competitions.opening import enter
from ladderboard.server.db.database import Database
from ladderboard.server.results.rescoring import preview_rescoring, publish_rescoring
from tests.hosting.hosts import Stage

RULES = """title = "Sick or not"
slug = "sick"
metric = "accuracy"
[solution]
public_share = 0.5
split_seed = "{seed}"
"""


def make_folder(folder: Path, labels: list[int], *, seed: str = "0123456789abcdef") -> Competition:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "competition.toml").write_text(RULES.format(seed=seed))
    (folder / "description.md").write_text("# Sick or not")
    (folder / "solution.csv").write_text("id,label\n" + "".join(f"{n},{one}\n" for n, one in enumerate(labels)))
    (folder / "sample_submission.csv").write_text("id,label\n" + "".join(f"{n},0\n" for n in range(len(labels))))
    return load_competition(folder)


def test_one_label_is_corrected_and_every_row_keeps_its_side(database: Database, tmp_path: Path) -> None:
    labels = [int(n % 3 == 0) for n in range(300)]
    first = make_folder(tmp_path / "sick", labels)
    stage = Stage(database, tmp_path / "data", first)
    stage.send_values("a", np.asarray(labels))
    again = make_folder(tmp_path / "sick", [1 - labels[0], *labels[1:]])
    assert np.sum(again.solution.usage != first.solution.usage) > 20, "drawn anew it is another split"
    assert preview_rescoring(stage.services, "sick", again).scoring_version == 2
    publish_rescoring(stage.services, "sick", again)
    served = stage.services.competition("sick").competition.solution
    assert np.array_equal(served.usage, first.solution.usage)
    assert served.labels[0] == 1 - labels[0]
    # The next start reads the folder, whose split would be another one, and serves what the database keeps.
    live = enter(database, stage.services.files, again)
    assert np.array_equal(live.competition.solution.usage, first.solution.usage)
    other = make_folder(tmp_path / "other" / "sick", [*labels[:-1], 1 - labels[-1]], seed="fedcba9876543210")
    with pytest.raises(ConflictError, match="would change sides"):
        preview_rescoring(stage.services, "sick", other)
    stage.services.close()
