"""What the organiser's pages ask of either database."""

from ladderboard.server.moderation.rules import count_flags, dismiss_flags, list_flags
from ladderboard.server.teams.teams import list_teams
from tests.hosting.hosts import Begin


def test_teams_are_listed_with_their_flags_and_found_by_a_part_of_their_name(begin: Begin) -> None:
    stage = begin(rows=800)
    for name in ("Owls", "100%_owls", "Foxes"):
        stage.send(name, 0.8)
    stage.send("Foxes", 0.6, seed=3)
    rows, total = list_teams(stage.database, stage.slug, limit=2)
    found, few = list_teams(stage.database, stage.slug, "%_OWL", limit=9)
    assert (total, few) == (3, 1)
    assert [(row.team.name, row.team.attempts) for row in rows] == [("Foxes", 2), ("100%_owls", 1)]
    assert [row.flags for row in rows] == [1, 1]
    assert [row.team.name for row in found] == ["100%_owls"]


def test_the_flags_of_one_team_and_kind_are_put_aside_and_no_others(begin: Begin) -> None:
    stage = begin(rows=800)
    for name in ("Owls", "Larks", "Foxes"):
        stage.send(name, 0.8)
    for team, kind in (("Larks", "probing"), ("Foxes", "copy"), ("nobody", "copy")):
        dismiss_flags(stage.database, stage.slug, team=team, kind=kind)
    rows, total = count_flags(stage.database, stage.slug)
    assert [(row.team, row.kind, row.number) for row in rows] == [("Larks", "copy", 1)]
    assert total == 1
    assert list_flags(stage.database, stage.slug, dismissed=True)[1] == 2


def test_flags_are_counted_by_team_and_kind_a_part_at_a_time_the_most_first(begin: Begin) -> None:
    stage = begin(rows=800)
    for seed, names in ((0, ("Owls", "Foxes", "Larks")), (1, ("Owls", "Larks"))):
        for name in names:
            stage.send(name, 0.8, seed=seed)
    parts = [count_flags(stage.database, stage.slug, offset=start, limit=1) for start in range(3)]
    found = [[(row.team, row.kind, row.number) for row in rows] for rows, _ in parts]
    assert found == [[("Larks", "copy", 2)], [("Foxes", "copy", 1)], []]
    assert [total for _, total in parts] == [2, 2, 2]
