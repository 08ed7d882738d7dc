"""What the organiser's pages ask of either database."""

from ladderboard.hosting.moderation.flags import count_flags, list_flags
from ladderboard.hosting.people.names import name_key
from ladderboard.store.organising import dismiss_flags, teams_listed
from tests.hosting.hosts import Begin


def test_teams_are_listed_with_their_flags_and_found_by_a_part_of_their_name(begin: Begin) -> None:
    stage = begin(rows=800)
    for name in ("Owls", "100%_owls", "Foxes"):
        stage.send(name, 0.8)
    stage.send("Foxes", 0.6, seed=3)
    with stage.database.reading() as connection:
        rows, total = teams_listed(connection, stage.slug, "", offset=0, limit=2)
        found, few = teams_listed(connection, stage.slug, name_key("%_OWL"), offset=0, limit=9)
    assert (total, few) == (3, 1)
    assert [(row.name, row.attempts) for row in rows] == [("Foxes", 2), ("100%_owls", 1)]
    assert [row.flags for row in rows] == [1, 1]
    assert [row.name for row in found] == ["100%_owls"]


def test_the_flags_of_one_team_and_kind_are_put_aside_and_no_others(begin: Begin) -> None:
    stage = begin(rows=800)
    for name in ("Owls", "Larks", "Foxes"):
        stage.send(name, 0.8)
    with stage.database.transaction() as connection:
        now = stage.database.now(connection)
        dismiss_flags(connection, stage.slug, team_key="larks", kind="probing", now=now)
        dismiss_flags(connection, stage.slug, team_key="foxes", kind="copy", now=now)
        dismiss_flags(connection, stage.slug, team_key="nobody", kind="copy", now=now)
    assert [(row.team, row.kind, row.number) for row in count_flags(stage.services, stage.slug)] == [
        ("Larks", "copy", 1)
    ]
    assert list_flags(stage.services, stage.slug, dismissed=True)[1] == 2
