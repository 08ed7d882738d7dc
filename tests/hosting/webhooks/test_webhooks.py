"""Webhooks against a real receiver: what is told, signed, tried again; what is never reached; kills in the middle."""

import hashlib
import hmac
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from datetime import timedelta
from ipaddress import ip_address

import pytest
from sqlalchemy import select

from ladderboard.core.errors import NotFoundError, ParameterError
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import deliveries, submissions
from ladderboard.server.webhooks import events as events_module
from ladderboard.server.webhooks.delivery import LEASE, WAITS, Deliverer
from ladderboard.server.webhooks.events import MOST_WEBHOOKS, list_webhooks, remove_webhook
from ladderboard.server.webhooks.records import WebhookBody
from ladderboard.server.webhooks.ssrf import (
    BlockedAddressError,
    check_url,
    is_reachable,
    parse_networks,
    resolve_target,
)
from tests.hosting.hosts import Begin, Stage
from tests.hosting.webhooks.receivers import Received, receiving

LOOPBACK = parse_networks("127.0.0.0/8")
on_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"])


def add_webhook(database: Database, url: str, *, slug: str | None, events: Sequence[str] = ()) -> WebhookBody:
    """Add one on a server that may reach receivers on this machine."""
    return events_module.add_webhook(database, url, slug=slug, events=events, may_reach="127.0.0.0/8")


def deliverer(stage: Stage, *, seconds: float = 120) -> Deliverer:
    return Deliverer(stage.database, LOOPBACK, timeout_seconds=seconds)


def waiting(stage: Stage) -> list[tuple[int, bool]]:
    """(tries, has arrived) of every delivery."""
    return [(row.tries, row.delivered_at is not None) for row in stage.rows(deliveries)]


# -- what is told -----------------------------------------------------------------------------------------------------


def test_a_submission_is_told_with_what_everybody_sees_and_signed(begin: Begin) -> None:
    stage = begin(mechanism="ladder", metric="error_rate")
    with receiving() as receiver:
        hook = add_webhook(stage.database, f"{receiver.url}/hook?x=1", slug="pets")
        answer = stage.send("Whales", 0.9)
        assert deliverer(stage).deliver_due() == 1
    [request] = receiver.requests
    told = json.loads(request.body)
    release = answer.content["release"]
    assert told.pop("id") == request.headers["Ladderboard-Delivery"]
    assert told == {
        "event": "submission",
        "competition": "pets",
        "at": stage.moment.isoformat(),
        "number": 1,
        "team": {"name": "Whales", "board_value": release["board_value"], "rank": 1, "attempts": 1},
    }
    assert request.path == "/hook?x=1"
    assert hook.secret is not None
    signed = f"{request.headers['Ladderboard-Timestamp']}.".encode() + request.body
    expected = hmac.new(hook.secret.encode(), signed, hashlib.sha256).hexdigest()
    assert request.headers["Ladderboard-Signature"] == f"sha256={expected}"
    assert waiting(stage) == [(1, True)]


@on_sqlite
def test_only_wanted_events_of_the_own_competition_are_queued(begin: Begin) -> None:
    stage = begin()
    add_webhook(stage.database, "http://93.184.215.14/", slug=None, events=["revealed"])
    assert stage.send("a", 0.8).status == 201
    assert stage.rows(deliveries) == []
    everything = add_webhook(stage.database, "http://93.184.215.14/", slug=None)
    stage.send("a", 0.9, seed=1)
    assert [row.webhook_id for row in stage.rows(deliveries)] == [everything.id]


@on_sqlite
def test_a_refused_submission_is_not_told(begin: Begin) -> None:
    stage = begin()
    add_webhook(stage.database, "http://93.184.215.14/", slug="pets")
    with pytest.raises(Exception, match="line 2"):
        stage.send_values("a", ["nonsense"] * 400)
    assert stage.rows(deliveries) == []


@on_sqlite
def test_a_webhook_is_listed_without_its_secret_and_removed_with_its_queue(begin: Begin) -> None:
    stage = begin()
    hook = add_webhook(stage.database, "https://example.org/x", slug="pets")
    stage.send("a", 0.8)
    [shown] = list_webhooks(stage.database, "pets")
    assert (shown.secret, shown.waiting, shown.delivered, shown.given_up) == (None, 1, 0, 0)
    with pytest.raises(NotFoundError):
        remove_webhook(stage.database, hook.id, slug="another")
    remove_webhook(stage.database, hook.id, slug="pets")
    assert list_webhooks(stage.database) == []
    assert stage.rows(deliveries) == []


@on_sqlite
def test_there_cannot_be_more_webhooks_than_submissions_bear(begin: Begin) -> None:
    stage = begin()
    for number in range(MOST_WEBHOOKS):
        add_webhook(stage.database, f"https://example.org/{number}", slug=None)
    with pytest.raises(ParameterError, match="remove one"):
        add_webhook(stage.database, "https://example.org/more", slug=None)


# -- tried again ------------------------------------------------------------------------------------------------------


def test_what_is_not_answered_is_tried_again_and_given_up_in_the_end(begin: Begin) -> None:
    stage = begin()
    with receiving(lambda _: 500) as receiver:
        add_webhook(stage.database, receiver.url, slug="pets")
        stage.send("a", 0.8)
        for wait in WAITS:
            assert deliverer(stage).deliver_due() == 1
            assert deliverer(stage).deliver_due() == 0, "not before its time"
            stage.pass_time(wait)
        assert deliverer(stage).deliver_due() == 1
        stage.pass_time(timedelta(days=30))
        assert deliverer(stage).deliver_due() == 0
    assert len(receiver.requests) == len(WAITS) + 1
    assert len({request.headers["Ladderboard-Delivery"] for request in receiver.requests}) == 1
    [shown] = list_webhooks(stage.database)
    assert (shown.waiting, shown.delivered, shown.given_up) == (0, 0, 1)
    [row] = stage.rows(deliveries)
    assert row.last_answer == "status 500"


@on_sqlite
def test_a_receiver_that_was_away_gets_everything_in_order_when_it_is_back(begin: Begin) -> None:
    stage = begin(mechanism="ladder", metric="error_rate")
    is_up = threading.Event()
    with receiving(lambda _: 200 if is_up.is_set() else 503) as receiver:
        add_webhook(stage.database, receiver.url, slug="pets")
        for seed in range(5):
            stage.send("a", 0.6, seed=seed)
            stage.pass_time(timedelta(seconds=1))
        assert deliverer(stage).deliver_due() == 1, "one failure stands for all"
        is_up.set()
        receiver.requests.clear()
        stage.pass_time(WAITS[0])
        assert deliverer(stage).deliver_due() == 5
    assert [json.loads(request.body)["number"] for request in receiver.requests] == [1, 2, 3, 4, 5]
    assert {arrived for _, arrived in waiting(stage)} == {True}


def test_a_receiver_that_is_away_keeps_no_other_waiting(begin: Begin) -> None:
    stage = begin(mechanism="ladder", metric="error_rate")
    with receiving(lambda _: 503) as away, receiving() as here:
        add_webhook(stage.database, away.url, slug="pets")
        for seed in range(25):
            stage.send("a", 0.6, seed=seed)
            stage.pass_time(timedelta(seconds=1))
        add_webhook(stage.database, here.url, slug="pets")
        stage.send("a", 0.9, seed=99)
        assert deliverer(stage).deliver_due() == 2
        assert deliverer(stage).deliver_due() == 0, "the whole queue of the one that is away waits"
    assert len(away.requests) == 1
    assert [json.loads(request.body)["number"] for request in here.requests] == [26]


@on_sqlite
def test_a_redirect_is_not_followed(begin: Begin) -> None:
    stage = begin()
    with receiving(lambda _: 302) as receiver:
        add_webhook(stage.database, receiver.url, slug="pets")
        stage.send("a", 0.8)
        deliverer(stage).deliver_due()
    assert [request.path for request in receiver.requests] == ["/"]
    assert waiting(stage) == [(1, False)]


@on_sqlite
def test_a_receiver_that_hangs_or_drips_costs_one_deadline_and_no_submission(begin: Begin) -> None:
    stage = begin()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        add_webhook(stage.database, f"http://127.0.0.1:{listening.getsockname()[1]}/", slug="pets")
        stop = threading.Event()
        dripping = threading.Thread(target=_drip, args=[listening, stop], daemon=True)
        dripping.start()
        stage.send("a", 0.8)
        stage.send("a", 0.9, seed=1)
        background = threading.Thread(target=_deliver_one, args=[deliverer(stage, seconds=0.6)])
        background.start()
        assert stage.send("a", 0.7, seed=2).status == 201, "submissions go on meanwhile"
        background.join(120)
        assert not background.is_alive()
        stop.set()
        dripping.join(120)
    rows = stage.rows(deliveries)
    assert [row.last_answer for row in rows if row.last_answer] != []
    assert all(row.delivered_at is None for row in rows)


def _deliver_one(patient: Deliverer) -> None:
    """Until one was tried: on a busy machine a batch may be over before it has begun."""
    while not patient.deliver_due():
        pass


def _drip(listening: socket.socket, stop: threading.Event) -> None:
    """Answers a byte now and then: no single read times out."""
    connection, _ = listening.accept()
    with connection:
        try:
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            while not stop.wait(0.05):
                connection.sendall(b"x")
        except OSError:
            return


def test_two_processes_deliver_everything_once(begin: Begin) -> None:
    stage = begin(mechanism="ladder", metric="error_rate")
    with receiving() as receiver:
        add_webhook(stage.database, receiver.url, slug="pets")
        for seed in range(30):
            stage.send("a", 0.6, seed=seed)
        both = [threading.Thread(target=_deliver_all, args=[stage]) for _ in range(2)]
        for one in both:
            one.start()
        for one in both:
            one.join(120)
    told = [request.headers["Ladderboard-Delivery"] for request in receiver.requests]
    assert len(told) == len(set(told)) == 30
    assert waiting(stage) == [(1, True)] * 30


def _deliver_all(stage: Stage) -> None:
    while deliverer(stage).deliver_due():
        pass


def test_who_is_killed_in_the_middle_leaves_deliveries_that_are_made_later(begin: Begin) -> None:
    stage = begin()
    hanging = threading.Event()

    def answer(request: Received) -> int:
        assert request.body
        if not hanging.is_set():
            hanging.wait(120)
        return 200

    with receiving(answer) as receiver:
        add_webhook(stage.database, receiver.url, slug="pets")
        stage.send("a", 0.8)
        program = (
            "import sys\nfrom datetime import datetime\n"
            "from ladderboard.server.webhooks.delivery import Deliverer\n"
            "from ladderboard.server.webhooks.ssrf import parse_networks\n"
            "from ladderboard.server.db.database import Database\n"
            "moment = datetime.fromisoformat(sys.argv[2])\n"
            "database = Database(sys.argv[1], clock=lambda: moment)\n"
            "Deliverer(database, parse_networks('127.0.0.0/8')).deliver_due()\n"
        )
        url = stage.database.url.render_as_string(hide_password=False)
        process = subprocess.Popen([sys.executable, "-c", program, url, stage.moment.isoformat()], env=os.environ)
        receiver.wait_for(1)
        process.kill()
        process.wait(120)
        hanging.set()
        assert waiting(stage) == [(1, False)]
        assert deliverer(stage).deliver_due() == 0, "it may still be on its way"
        stage.pass_time(LEASE)
        assert deliverer(stage).deliver_due() == 1
    assert waiting(stage) == [(2, True)]
    assert len(stage.rows(submissions)) == 1
    first, second = receiver.requests
    assert first.headers["Ladderboard-Delivery"] == second.headers["Ladderboard-Delivery"]


@on_sqlite
def test_what_arrived_is_forgotten_after_a_week(begin: Begin) -> None:
    stage = begin()
    with receiving() as receiver:
        add_webhook(stage.database, receiver.url, slug="pets")
        stage.send("a", 0.8)
        deliverer(stage).deliver_due()
        stage.pass_time(timedelta(days=8))
        stage.send("a", 0.9, seed=1)
        deliverer(stage).deliver_due()
    assert len(receiver.requests) == 2
    with stage.database.reading() as connection:
        assert len(list(connection.execute(select(deliveries)))) == 1


# -- where it may go --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1",
    ],
)  # fmt: skip
def test_no_private_address_is_reached(address: str) -> None:
    assert not is_reachable(ip_address(address))
    with pytest.raises(BlockedAddressError, match="private address"):
        resolve_target("http://example.org/", resolve=lambda _host, _port: [address])


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "8.8.8.8"])
def test_public_addresses_are_reached(address: str) -> None:
    assert resolve_target("https://example.org/x", resolve=lambda _host, _port: [address]).address == address


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    with pytest.raises(BlockedAddressError):
        resolve_target("http://example.org/", resolve=lambda _host, _port: ["93.184.215.14", "10.0.0.1"])


@on_sqlite
def test_a_name_that_changes_after_the_check_gains_nothing(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection goes to the address that was checked, and the name is looked up once."""
    looked_up: list[str] = []

    def lookup(host: str, port: int, **_more: object) -> list[tuple[object, ...]]:
        looked_up.append(host)
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14" if len(looked_up) == 1 else "127.0.0.1", port))
        ]

    connected: list[object] = []

    def connect(address: object, **_more: object) -> socket.socket:
        connected.append(address)
        raise ConnectionRefusedError

    stage = begin()
    add_webhook(stage.database, "http://rebinding.example/", slug="pets")
    stage.send("a", 0.8)
    monkeypatch.setattr("socket.getaddrinfo", lookup)
    monkeypatch.setattr("socket.create_connection", connect)
    Deliverer(stage.database).deliver_due()
    assert looked_up == ["rebinding.example"]
    assert connected == [("93.184.215.14", 80)]


@on_sqlite
def test_without_the_setting_loopback_is_not_asked(begin: Begin) -> None:
    stage = begin()
    with receiving() as receiver:
        add_webhook(stage.database, receiver.url, slug="pets")
        stage.send("a", 0.8)
        Deliverer(stage.database).deliver_due()
    assert receiver.requests == []
    [row] = stage.rows(deliveries)
    assert "private address" in row.last_answer


@pytest.mark.parametrize(
    "url",
    [
        "", "example.org", "ftp://example.org/", "file:///etc/passwd", "http://", "https:///x", "http://a b/",
        "http://user:pw@example.org/", "http://example.org:0/", "http://example.org:99999/", "http://exämple.org/",
        "http://example.org/\r\nX: y", "http://[::1", "https://example.org/" + "x" * 2000,
        "http://127.0.0.1/", "http://[::1]/", "http://localhost:8000/", "http://a.localhost/", "http://10.1.2.3/",
        "http://127.1/", "http://2130706433/", "http://169.254.169.254/latest", "http://hook.invalid/",
    ],
)  # fmt: skip
def test_an_address_that_can_never_be_asked_is_refused_at_once(url: str) -> None:
    with pytest.raises(ParameterError):
        check_url(url)


def test_a_private_address_that_the_server_may_reach_is_taken() -> None:
    check_url("http://127.0.0.1:9000/", parse_networks("127.0.0.0/8"))
    check_url("http://localhost:9000/", parse_networks("127.0.0.1"))
    check_url("https://example.org/")


def test_the_setting_must_name_networks() -> None:
    with pytest.raises(ParameterError, match="webhooks_may_reach"):
        parse_networks("intranet.example.org")
