"""Two teams become one: what adds up, what stays, what is refused."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from ladderboard.competition import Limits, TeamRules
from ladderboard.core.errors import ConflictError, DeadlinePassedError, NotFoundError, NotOpenError, QuotaExceededError
from ladderboard.core.records import Proof, State
from ladderboard.mechanisms.rungs import Rung, RungBoard
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import competitions, instances, members, submissions, teams
from ladderboard.server.submissions.memories import judge, merge_proofs, merge_rungs, merge_states
from ladderboard.server.teams.invitations import accept_invitation, make_invitation
from ladderboard.server.teams.merging import merge
from ladderboard.server.teams.teams import leave_team
from tests.hosting.competitions import NOON, a_competition
from tests.hosting.people_fixtures import Clock
from tests.hosting.teams.clubs import Club

on_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"])
LADDER = {"mechanism": "ladder", "mechanism_parameters": {"step_size": 0.01}}

Begin = Callable[..., Club]


@pytest.fixture
def begin(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Begin:
    clock = Clock(database, monkeypatch)
    return lambda **rules: Club(database, clock, tmp_path, a_competition(**(LADDER | rules)))


def row_of(club: Club, team_id: str) -> Any:
    with club.database.reading() as connection:
        return connection.execute(select(teams).where(teams.c.id == team_id)).one()


def find_state(club: Club, key: str) -> State:
    with club.database.reading() as connection:
        return State.from_json(connection.scalars(select(instances.c.state).where(instances.c.key == key)).one())


# -- the memories -----------------------------------------------------------------------------------------------------


@on_sqlite
@pytest.mark.parametrize("better", ["kept", "other"])
def test_counts_add_up_and_the_better_number_stays(begin: Begin, better: str) -> None:
    yardstick = begin().live.yardstick  # accuracy: higher is better
    kept = State(5, 2, 0.7 if better == "kept" else 0.6, "mine", {"seed": 1})
    other = State(3, 1, 0.65, "theirs", {"seed": 1})
    merged = merge_states(kept, other, start=State(memory={"seed": 1}), yardstick=yardstick)
    stays = kept if better == "kept" else other
    # Nothing is proven yet: the accepts of both count since then, and one for the merger.
    assert merged == replace(stays, attempts=8, accepts=3, proof=Proof(accepts=-1))


@on_sqlite
def test_a_team_without_a_number_takes_the_others(begin: Begin) -> None:
    yardstick = begin().live.yardstick
    none, some = State(4, 0, None), State(1, 1, 0.6, "theirs")
    assert merge_states(none, some, start=State(), yardstick=yardstick).incumbent == "theirs"
    assert merge_states(some, none, start=State(), yardstick=yardstick) == State(
        5, 1, 0.6, "theirs", proof=Proof(accepts=-1)
    )


@on_sqlite
def test_of_a_budget_both_parts_are_used(begin: Begin) -> None:
    start = State(memory={"budget": 10, "threshold": 0.1})
    kept, other = (State(1, 1, 0.6, "x", {"budget": left, "threshold": 0.2}) for left in (7, 2))
    merged = merge_states(kept, other, start=start, yardstick=begin().live.yardstick)
    assert merged.memory["budget"] == -1


YARDSTICK = a_competition().public.yardstick


def board(*holders: str | None) -> RungBoard:
    return RungBoard(9, 4, tuple(Rung(name, State(released=index / 10)) for index, name in enumerate(holders)))


EMPTY = Rung(None, State())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("a", "x", "b", None), ("a", "x", None, None)),
        (("b", "x", "a", "y"), ("a", "x", "y", None)),
        (("x", "b", None, None), ("x", "a", None, None)),
        (("x", "a", None, None), ("x", "a", None, None)),
        (("x", None, None, None), ("x", None, None, None)),
    ],
)
def test_of_two_rungs_the_better_one_stays(before: tuple[str | None, ...], after: tuple[str | None, ...]) -> None:
    merged = merge_rungs(board(*before), "a", "b", empty=EMPTY, yardstick=YARDSTICK)
    assert tuple(rung.team for rung in merged.rungs) == after
    assert (merged.attempts, merged.accepts) == (9, 4)
    if before[0] == "b":
        assert merged.rungs[0].state == board(*before).rungs[0].state
        assert merged.rungs[3] == EMPTY


# -- the teams --------------------------------------------------------------------------------------------------------


def test_attempts_accepts_and_quota_add_up(begin: Begin) -> None:
    club = begin(limits=Limits(per_day=5))
    kept, (ada, _) = club.found("ada", "ann", team="Engines")
    other, (bob,) = club.found("bob", team="Looms")
    for seed, share in enumerate((0.6, 0.55)):
        club.send(kept, share, seed=seed)
    answer = club.send(other, 0.9, seed=7)
    before = [row_of(club, team.id) for team in (kept, other)]
    merged = club.merge(ada, bob, into="Engines", team="Looms")
    row, gone = row_of(club, kept.id), row_of(club, other.id)
    assert [one.name for one in merged.members] == ["ada", "ann", "bob"]
    assert merged.id == kept.id
    assert row.attempts == 3
    assert row.accepts == before[0].accepts + before[1].accepts
    assert (merged.quota.used_today, merged.quota.left_today) == (3, 2)
    assert (gone.status, gone.merged_into) == ("merged", kept.id)
    # Looms had the better number.
    assert row.board_value == answer.content["release"]["board_value"] == before[1].board_value
    assert row.last_improvement == before[1].last_improvement
    state = find_state(club, kept.id)
    assert (state.attempts, state.accepts, state.incumbent) == (3, row.accepts, answer.content["id"])
    entry = club.entries()[-1]
    assert (entry.kind, entry.body) == ("merged", {"team": kept.id, "from": other.id})
    # It goes on from there: the next attempt is the fourth, by whomever.
    assert club.send(kept, 0.62, seed=3).content["release"]["attempt"] == 4
    with pytest.raises(NotOpenError, match="merged"):
        club.send(other, 0.62, seed=4)


def test_what_both_have_asked_is_answered_from_the_store(begin: Begin) -> None:
    club = begin()
    kept, (ada,) = club.found("ada", team="Engines")
    other, (bob,) = club.found("bob", team="Looms")
    mine = club.send(kept, 0.9, seed=1)
    theirs, alone = club.send(other, 0.9, seed=1), club.send(other, 0.7, seed=2)
    club.merge(ada, bob, into="Engines", team="Looms")
    with club.database.reading() as connection:
        owners = {row.id: row.team_id for row in connection.execute(select(submissions))}
    assert owners == {
        mine.content["id"]: kept.id,
        theirs.content["id"]: other.id,
        alone.content["id"]: kept.id,
    }
    assert find_state(club, kept.id).incumbent == mine.content["id"]
    for seed, share in ((1, 0.9), (2, 0.7)):
        assert club.send(kept, share, seed=seed).content["duplicate"]


def test_the_meter_of_the_competition_does_not_change(begin: Begin) -> None:
    club = begin()
    kept, (ada,) = club.found("ada", team="Engines")
    other, (bob,) = club.found("bob", team="Looms")
    club.send(kept, 0.7, seed=1)
    club.send(other, 0.8, seed=2)

    def bits() -> float:
        with club.database.reading() as connection:
            return float(connection.scalars(select(competitions.c.bits)).one())

    before = bits()
    club.merge(ada, bob, into="Engines", team="Looms")
    assert bits() == before
    merged = club.live.leakage(find_state(club, kept.id)).bits
    with club.database.reading() as connection:
        kept_bits = {row.key: row.bits for row in connection.execute(select(instances))}
    assert kept_bits == {kept.id: merged, other.id: 0.0}
    club.send(kept, 0.72, seed=3)
    after = club.live.leakage(find_state(club, kept.id)).bits
    assert merged is not None
    assert after is not None
    assert bits() == pytest.approx(before + after - merged)


@on_sqlite
def test_where_the_better_number_came_from_a_twin_the_own_twin_is_the_incumbent(begin: Begin) -> None:
    club = begin(mechanism_parameters={"step_size": 0.02})
    kept, (ada,) = club.found("ada", team="Engines")
    other, (bob,) = club.found("bob", team="Looms")

    def right_on(public_rows: int) -> Any:
        values = 1 - club.competition.solution.labels
        rows = club.competition.solution.rows("Public")[:public_rows]
        values[rows] = club.competition.solution.labels[rows]
        return values

    club.submit(kept, right_on(140))
    # 0.715 is no step above 0.70, but it is the first of the other team, which is told 0.72.
    mine, theirs = club.submit(kept, right_on(143)), club.submit(other, right_on(143))
    assert (mine.content["release"]["board_value"], theirs.content["release"]["board_value"]) == (0.7, 0.72)
    assert club.merge(ada, bob, into="Engines", team="Looms").board_value == 0.72
    assert find_state(club, kept.id).incumbent == mine.content["id"]


@on_sqlite
def test_the_codes_of_a_team_that_is_no_more_are_void(begin: Begin) -> None:
    club = begin()
    _, (ada,) = club.found("ada", team="Engines")
    _, (bob,) = club.found("bob", team="Looms")
    code, _ = make_invitation(club.database, club.live, bob, "Looms")
    club.merge(ada, bob, into="Engines", team="Looms")
    with pytest.raises(NotFoundError, match="revoked"):
        accept_invitation(club.database, club.live, club.person("eve"), code)


def test_on_a_board_of_ranks_the_better_rung_stays(begin: Begin) -> None:
    club = begin(instances="rank", ranks=4)
    kept, (ada,) = club.found("ada", team="Engines")
    other, (bob,) = club.found("bob", team="Looms")
    third, _ = club.found("eve", team="Spies")
    for team, share, seed in ((kept, 0.6, 1), (third, 0.75, 2), (other, 0.9, 3)):
        assert club.send(team, share, seed=seed).content["release"]["accepted"]
    best = row_of(club, other.id).board_value
    club.merge(ada, bob, into="Engines", team="Looms")
    assert (row_of(club, kept.id).board_order, row_of(club, kept.id).board_value) == (0.0, best)
    assert row_of(club, third.id).board_order == 1.0
    assert row_of(club, kept.id).attempts == 2
    with club.database.reading() as connection:
        text = connection.scalars(select(instances.c.state)).one()
    assert [rung.team for rung in RungBoard.from_json(text).rungs] == [kept.id, third.id, None, None]
    assert club.send(kept, 0.95, seed=9).content["release"]["attempt"] == 4


@on_sqlite
def test_who_left_the_other_team_belongs_to_the_merged_one(begin: Begin) -> None:
    club = begin()
    kept, (ada,) = club.found("ada", team="Engines")
    _, (bob, tom) = club.found("bob", "tom", team="Looms")
    leave_team(club.database, club.live, tom)
    club.merge(ada, bob, into="Engines", team="Looms")
    with club.database.reading() as connection:
        assert set(connection.scalars(select(members.c.team_id))) == {kept.id}
    assert club.join(bob, tom, "Engines").id == kept.id


@pytest.mark.parametrize("sender", ["kept", "other"])
def test_an_attempt_that_is_being_judged_while_teams_merge_is_judged_again_or_refused(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, sender: str
) -> None:
    club = begin()
    kept, (ada,) = club.found("ada", team="Engines")
    other, (bob,) = club.found("bob", team="Looms")
    club.send(kept, 0.6, seed=1)
    club.send(other, 0.8, seed=2)
    judged: list[int] = []

    def judge_late(*given: Any, **more: Any) -> Any:
        judgement = judge(*given, **more)
        judged.append(judgement.release.attempt)
        if len(judged) == 1:
            club.merge(ada, bob, into="Engines", team="Looms")
        return judgement

    monkeypatch.setattr("ladderboard.server.submissions.referee.judge", judge_late)
    if sender == "kept":
        assert club.send(kept, 0.9, seed=3).content["release"]["attempt"] == 3
        assert judged == [2, 3]
        assert row_of(club, kept.id).attempts == 3
    else:
        with pytest.raises(NotOpenError, match="merged"):
            club.send(other, 0.9, seed=3)
        assert row_of(club, kept.id).attempts == 2
        assert club.send(kept, 0.9, seed=3).content["release"]["attempt"] == 3


# -- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"teams": TeamRules(merging=False)}, "cannot merge"),
        ({"teams": TeamRules(largest=2)}, "3 members"),
        ({"limits": Limits(per_day=None, total=3)}, "4 submissions"),
        ({"teams": TeamRules(merge_until=NOON)}, "no longer merge"),
        ({"deadline": NOON}, "no longer merge"),
    ],
)
@on_sqlite
def test_a_merger_against_the_rules_is_refused_and_changes_nothing(
    begin: Begin, rules: dict[str, Any], words: str
) -> None:
    club = begin(**rules)
    kept, (ada, _) = club.found("ada", "ann", team="Engines")
    other, (bob,) = club.found("bob", team="Looms")
    for team, seeds in ((kept, (1, 2)), (other, (3, 4))):
        for seed in seeds:
            club.send(team, 0.5 + seed / 10, seed=seed)
    before = row_of(club, kept.id), row_of(club, other.id), club.kinds()
    club.clock.advance(seconds=1)
    with pytest.raises((ConflictError, DeadlinePassedError), match=words):
        club.merge(ada, bob, into="Engines", team="Looms")
    assert (row_of(club, kept.id), row_of(club, other.id), club.kinds()) == before


@on_sqlite
def test_a_code_of_the_wrong_kind_or_of_the_own_team_is_refused(begin: Begin) -> None:
    club = begin()
    _, (ada,) = club.found("ada", team="Engines")
    _, (bob,) = club.found("bob", team="Looms")
    for_a_person, _ = make_invitation(club.database, club.live, bob, "Looms")
    own, _ = make_invitation(club.database, club.live, ada, "Engines", kind="merge")
    for_teams, _ = make_invitation(club.database, club.live, bob, "Looms", kind="merge")
    with pytest.raises(ConflictError, match="merge code"):
        merge(club.database, club.live, ada, "Engines", for_a_person)
    with pytest.raises(ConflictError, match="itself"):
        merge(club.database, club.live, ada, "Engines", own)
    with pytest.raises(ConflictError, match="merging teams"):
        accept_invitation(club.database, club.live, club.person("eve"), for_teams)
    with pytest.raises(NotFoundError):
        merge(club.database, club.live, ada, "Engines", "no such code")


def test_one_team_cannot_be_taken_in_twice(begin: Begin) -> None:
    club = begin(teams=TeamRules(largest=8))
    _, (bob,) = club.found("bob", team="Looms")
    hosts = [club.found(f"person {number}", team=f"team {number}") for number in range(4)]
    codes = [make_invitation(club.database, club.live, bob, "Looms", kind="merge")[0] for _ in hosts]

    def take(pair: Any) -> bool:
        (team, (person,)), code = pair
        try:
            merge(club.database, club.live, person, team.name, code)
        except (NotFoundError, ConflictError):
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(take, zip(hosts, codes, strict=True))) == 1
    assert club.kinds().count("merged") == 1


@on_sqlite
def test_a_merged_team_has_used_the_quota_of_both(begin: Begin) -> None:
    club = begin(limits=Limits(per_day=2, total=5))
    kept, (ada,) = club.found("ada", team="Engines")
    other, (bob,) = club.found("bob", team="Looms")
    club.send(other, 0.6, seed=1)
    club.clock.advance(days=1)
    club.send(kept, 0.6, seed=2)
    club.send(other, 0.7, seed=3)
    merged = club.merge(ada, bob, into="Engines", team="Looms")
    assert (merged.quota.used_today, merged.quota.used, merged.quota.left) == (2, 3, 0)
    with pytest.raises(QuotaExceededError):
        club.send(kept, 0.8, seed=4)
    club.clock.advance(days=1)
    assert club.send(kept, 0.8, seed=4).content["quota"]["left"] == 1


@on_sqlite
def test_merging_may_be_open_until_a_time(begin: Begin) -> None:
    club = begin(teams=TeamRules(merge_until=NOON + timedelta(days=1)))
    _, (ada,) = club.found("ada", team="Engines")
    _, (bob,) = club.found("bob", team="Looms")
    assert len(club.merge(ada, bob, into="Engines", team="Looms").members) == 2


@pytest.mark.parametrize(("one", "other", "stays"), [(0.7, 0.6, "one"), (0.6, 0.7, "other"), (None, 0.6, "other")])
def test_the_better_proof_stays_and_the_accepts_since_both_count(
    one: float | None, other: float | None, stays: str
) -> None:
    first, second = (Proof("one", one, 2), 5), (Proof("other", other, 1), 2)
    merged = merge_proofs(first, second, 7, YARDSTICK)  # accuracy: higher is better
    assert merged == Proof(stays, one if stays == "one" else other, 7 - (3 + 1 + 1))
