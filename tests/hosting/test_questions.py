"""Questions to the organiser keep a new competition from being served, and never one that runs."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select, update

from ladderboard.core.errors import ConflictError
from ladderboard.server.audit.audit import audit
from ladderboard.server.audit.ledger_view import whole_view
from ladderboard.server.db.schema import competitions, ledger
from ladderboard.server.services import Services, open_services
from ladderboard.server.settings import Settings
from tests.competition.folders import solution_csv, write_folder

AUC = 'title = "Whales"\nslug = "whales"\nmetric = "auc"\n'
SICK = solution_csv().replace(",0,", ",diseased,").replace(",1,", ",healthy,")


def start(folder: Path, url: str) -> Services:
    return open_services(Settings(data=folder.parent, database=url), [folder])


def forget_positive(services: Services) -> None:
    """Make the rules in the database those of a version that did not know the key."""
    with services.database.transaction() as connection:
        rules = json.loads(connection.execute(select(competitions.c.rules)).scalar_one())
        assert rules.pop("positive") == "healthy"
        connection.execute(update(competitions).values(rules=json.dumps(rules, sort_keys=True, separators=(",", ":"))))


def test_a_new_competition_is_not_served_before_it_is_said_which_class_is_positive(
    database_url: str, tmp_path: Path
) -> None:
    with pytest.raises(ConflictError, match=r"whales cannot be served yet:\n.*which class is positive"):
        start(write_folder(tmp_path / "whales", AUC, SICK), database_url)


def test_one_that_runs_goes_on_with_the_class_that_it_used_and_says_so(database_url: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "whales", AUC + 'positive = "healthy"\n', SICK)
    services = start(folder, database_url)
    forget_positive(services)
    services.close()
    (folder / "competition.toml").write_text(AUC)
    services = start(folder, database_url)
    assert services.competition("whales").rules.positive == "healthy"
    with services.database.reading() as connection:
        [entry] = connection.execute(select(ledger.c.body).where(ledger.c.kind == "rules_changed")).scalars()
        assert entry["changes"] == ["the positive class, in force all along, is written down: 'healthy'"]
        entries = list(whole_view(connection, "whales").entries(connection))
    assert audit([entry.to_json() for entry in entries]).is_sound
    services.close()
    (folder / "competition.toml").write_text(AUC + 'positive = "diseased"\n')
    with pytest.raises(ConflictError, match="positive changes from 'healthy' to 'diseased'"):
        start(folder, database_url)
