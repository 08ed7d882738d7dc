from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

import ladderboard as lb
from ladderboard.client import Client, Retries
from ladderboard.server.db.schema import submissions, teams
from tests.client.lossy_proxy import losing_answers
from tests.hosting.competitions import a_file, predictions
from tests.web.servers import PASSWORD, Server

QUICK = Retries(tries=4, sleep=lambda _: None)


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    """Ada, signed in and in a team of her own."""
    with Client(server.url, retries=QUICK) as made:
        made.sign_up("ada", PASSWORD)
        made.sign_in("ada", PASSWORD)
        made.create_team("pets", "Night Shift")
        yield made


def a_submission(server: Server, share: float = 0.8, seed: int = 0) -> bytes:
    competition = server.services.competition("pets").competition
    return a_file(competition, predictions(competition, share, seed=seed))


def attempts(server: Server) -> tuple[int, int]:
    """How many submissions are stored, and how many attempts are charged."""
    with server.services.database.reading() as connection:
        stored = connection.scalar(select(func.count()).select_from(submissions))
        charged = connection.scalar(select(func.sum(teams.c.attempts)))
    return int(stored or 0), int(charged or 0)


def test_a_submission_is_scored_and_found_again(server: Server, client: Client) -> None:
    content = a_submission(server)
    answer = client.submit("pets", content, note="first", name="mine.csv")
    assert answer.release.improved
    assert answer.release.board_value is not None
    assert (answer.rank, answer.duplicate, answer.quota.used) == (1, False, 1)
    (found,) = client.submissions("pets")
    assert (found.id, found.note, found.file_name, found.release) == (answer.id, "first", "mine.csv", answer.release)
    assert client.submission("pets", answer.id) == found
    assert client.submitted_file("pets", answer.id) == content


def test_the_same_predictions_again_are_told_as_such_and_cost_nothing(server: Server, client: Client) -> None:
    content = a_submission(server)
    first, second = client.submit("pets", content), client.submit("pets", content)
    assert (second.duplicate, second.id, second.release) == (True, first.id, first.release)
    assert attempts(server) == (1, 1)


@pytest.mark.parametrize("losses", [1, 3])
def test_a_lost_answer_is_asked_for_again_and_counts_once(server: Server, client: Client, losses: int) -> None:
    with losing_answers(server.url, losses=losses) as url, _beside(client, url) as lossy:
        answer = lossy.submit("pets", a_submission(server))
    assert not answer.duplicate  # the stored answer of the first try, and not that of a second submission
    assert attempts(server) == (1, 1)


def test_without_waiting_a_lost_answer_is_an_error_and_the_same_key_finds_it(server: Server, client: Client) -> None:
    content = a_submission(server)
    with losing_answers(server.url, losses=1) as url, _beside(client, url) as lossy:
        with pytest.raises(lb.UnreachableError):
            lossy.submit("pets", content, idempotency_key="my key", wait=False)
        answer = lossy.submit("pets", content, idempotency_key="my key", wait=False)
    assert answer.quota is not None
    assert answer.quota.used == 1
    assert attempts(server) == (1, 1)


def test_a_key_is_good_for_one_file_only(server: Server, client: Client) -> None:
    client.submit("pets", a_submission(server), idempotency_key="my key")
    with pytest.raises(lb.IdempotencyMismatchError):
        client.submit("pets", a_submission(server, seed=1), idempotency_key="my key")
    assert attempts(server) == (1, 1)


def test_a_bad_file_has_the_same_problems_here_and_there(server: Server, client: Client) -> None:
    bad = a_submission(server).replace(b"\n7,", b"\n8,", 1).replace(b"\n20,", b"\n20,x", 1)
    with pytest.raises(lb.SubmissionError) as here:
        client.validate("pets", bad)
    with pytest.raises(lb.SubmissionError) as there:
        client.submit("pets", bad)
    assert here.value.problems == there.value.problems
    assert here.value.counts == there.value.counts
    assert str(here.value) == str(there.value)
    assert {one.line for one in here.value.problems} == {None, 9, 21}
    assert (here.value.request_id, bool(there.value.request_id)) == (None, True)
    assert attempts(server) == (0, 0)


def test_a_good_file_is_valid_here_too_and_the_format_is_fetched_once(
    server: Server, client: Client, tmp_path: Path
) -> None:
    content = a_submission(server)
    assert len(client.validate("pets", content)) == 400
    with Client(server.url, cache=tmp_path) as first:
        assert first.format("pets").id_column == "id"
    with Client(server.url, cache=tmp_path) as second:
        assert len(second.validate("pets", content)) == 400
        assert second._kept.headers(f"{server.url}/api/v1/competitions/pets/sample-submission")


def test_the_sample_submission_is_a_valid_submission(client: Client) -> None:
    assert len(client.validate("pets", client.sample_submission("pets"))) == 400


def test_a_long_list_is_read_part_by_part(server: Server, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(5):
        client.submit("pets", a_submission(server, 0.5, seed))
    monkeypatch.setattr("ladderboard.client.client.PAGE", 2)
    assert [one.number for one in client.submissions("pets")] == [5, 4, 3, 2, 1]


def test_people_invite_each_other_into_teams(server: Server, client: Client) -> None:
    invitation = client.invite("pets")
    with Client(server.url) as bob:
        bob.sign_up("bob", PASSWORD)
        bob.sign_in("bob", PASSWORD)
        with pytest.raises(lb.NotFoundError):
            bob.team("pets")
        assert bob.join(invitation.code).name == "Night Shift"
        assert [one.name for one in client.team("pets").members] == ["ada", "bob"]
        bob.leave("pets")
    assert [one.name for one in client.team("pets").members] == ["ada"]
    assert [one.team for one in client.me().teams] == ["Night Shift"]


def test_two_teams_become_one(server: Server, client: Client) -> None:
    with Client(server.url) as bob:
        bob.sign_up("bob", PASSWORD)
        bob.sign_in("bob", PASSWORD)
        bob.create_team("pets", "Day Shift")
        offered = bob.invite("pets", merge=True)
    assert [one.name for one in client.take_in("pets", offered.code).members] == ["ada", "bob"]


def test_competitions_are_listed_and_described(client: Client) -> None:
    (listed,) = client.competitions()
    found = client.competition("pets")
    assert (listed.slug, listed.metric, found.team) == ("pets", found.metric, "Night Shift")
    with pytest.raises(lb.NotFoundError):
        client.competition("../accounts")


def test_finals_are_picked_and_the_board_and_the_ledger_are_read(server: Server, client: Client) -> None:
    answers = [client.submit("pets", a_submission(server, share, seed)) for seed, share in enumerate((0.8, 0.5))]
    assert not client.finals("pets").are_picked
    assert [one.id for one in client.pick_finals("pets", [answers[1].id]).submissions] == [answers[1].id]
    (standing,) = client.leaderboard("pets")
    assert (standing.team, standing.rank, standing.value) == ("Night Shift", 1, answers[0].release.board_value)
    entries = list(client.ledger("pets"))
    assert [one.seq for one in entries] == list(range(1, len(entries) + 1))
    told = [one.opening["release"] for one in entries if one.kind == "submission" and one.opening is not None]
    assert [one["board_value"] for one in told] == [one.release.board_value for one in answers]
    with pytest.raises(lb.NotFoundError):
        client.private_leaderboard("pets")


def test_a_board_is_read_page_by_page(server: Server, client: Client) -> None:
    for number in range(5):
        with Client(server.url) as other:
            other.sign_up(f"person {number}", PASSWORD)
            other.sign_in(f"person {number}", PASSWORD)
            other.create_team("pets", f"team {number}")
            other.submit("pets", a_submission(server, 0.5 + number / 10, number))
    pages = list(client.leaderboard_pages("pets", per_page=2))
    assert [len(page.items) for page in pages] == [2, 2, 1]
    rows = [row for page in pages for row in page.items]
    assert rows == list(client.leaderboard("pets"))
    assert sorted(row.team for row in rows) == [f"team {number}" for number in range(5)]


def test_a_revoked_token_is_good_for_nothing(server: Server, client: Client) -> None:
    made = client.create_token("ada", PASSWORD, label="spare")
    with Client(server.url, made.token) as spare:
        assert spare.me().name == "ada"
        spare.revoke_token(made.id)
        with pytest.raises(lb.SignInRequiredError):
            spare.me()


def test_a_wrong_password_is_refused(server: Server) -> None:
    with Client(server.url) as nobody, pytest.raises(lb.SignInRequiredError):
        nobody.sign_in("ada", "wrong")


def _beside(client: Client, url: str) -> Client:
    """The same person by another address."""
    return Client(url, client._connection.token, retries=QUICK)
