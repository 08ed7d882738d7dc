"""Hosting over HTTP: a large file from upload to release, many small ones, and reading the board.

Every server is `ladderboard serve` in a process of its own, on SQLite with durable commits; clients are other processes
of the same machine.
"""

import math
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np
import numpy.typing as npt
import polars as pl

from benchmarks._served import Served, serving, serving_bare
from benchmarks.row import Row
from ladderboard.client import Client

ROWS = 1_000_000
ROUNDS = 6
PASSWORD = "correct horse battery staple"
PER_SECOND = 60
BOUNDARY = "a-boundary-of-the-benchmark"
READS_PER_SECOND = 300
MEGABYTES = 150

Labels = npt.NDArray[np.int64]


def run() -> list[Row]:
    """All rows."""
    with TemporaryDirectory() as name:
        return [*large_rows(Path(name), rows=ROWS, rounds=ROUNDS), *small_rows(Path(name))]


# -- one large file ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Large:
    """A competition of many rows: its labels, its files, and the servers that receive them."""

    folder: Path
    labels: Labels
    client: Client
    bare: str

    def predictions(self, number: int) -> Labels:
        """Another submission each time, right for eight rows of ten."""
        rng = np.random.default_rng(number)
        return np.where(rng.random(len(self.labels)) < 0.8, self.labels, 1 - self.labels)

    def write(self, number: int) -> Path:
        path = self.folder / f"{number}.csv"
        pl.DataFrame({"id": np.arange(1, len(self.labels) + 1), "label": self.predictions(number)}).write_csv(path)
        return path


def large_rows(folder: Path, *, rows: int, rounds: int) -> list[Row]:
    """Upload to release against the floor of its parts, the memory it takes, and a peer."""
    labels = np.random.default_rng(0).integers(0, 2, rows)
    competition = write_competition(folder / "large", labels)
    with serving(folder, competition) as server, serving_bare(folder) as bare, Client(server.url) as client:
        enter(client, "ada", "large")
        large = Large(folder, labels, client, bare.url)
        idle = server.memory_megabytes
        server.forget_peak()
        client.submit("large", large.write(0))
        ours, floor, peer = _timed(large, rounds)
        peak = server.peak_megabytes
    what = f"upload to release of {rows:,} rows (CSV) over HTTP"
    return [
        Row(f"{what}, against bare upload + pl.read_csv + np.mean", ours, floor, 2.0),
        Row(f"{what}, peak memory of the server above idle", peak - idle, MEGABYTES, 1.0, unit="MB"),
        Row(f"{what}, against {PEER}", ours, peer, 1 / 2.5),
    ]


def _timed(large: Large, rounds: int) -> tuple[float, float, float]:
    """The best seconds of ours, of the floor and of the peer, taken in turn."""
    best = [math.inf, math.inf, math.inf]
    for number in range(1, rounds + 1):
        path = large.write(number)
        works: tuple[Callable[[], object], ...] = (
            partial(large.client.submit, "large", path),
            partial(_floor, large, path),
            partial(score_like_hugging_face, large.folder / "large" / "solution.csv", path),
        )
        for side, work in enumerate(works):
            start = time.perf_counter()
            work()
            best[side] = min(best[side], time.perf_counter() - start)
        path.unlink()
    return best[0], best[1], best[2]


def _floor(large: Large, path: Path) -> None:
    with path.open("rb") as file:
        answer = httpx.post(f"{large.bare}/upload", files={"file": ("predictions.csv", file)}, trust_env=False)
    assert answer.json()["bytes"] == path.stat().st_size
    predictions = pl.read_csv(path)["label"].to_numpy()
    np.mean(predictions != large.labels)


PEER = "the steps by which Hugging Face's `competitions` scores (pandas and scikit-learn, without any upload)"


def score_like_hugging_face(solution: Path, submission: Path) -> list[float]:
    """Both files with pandas, rows by split, sorted by id, the metric on each part."""
    import pandas
    from sklearn.metrics import accuracy_score

    truth, given = pandas.read_csv(solution), pandas.read_csv(submission)
    scores = []
    for split in ("Public", "Private"):
        rows = truth[truth["Usage"] == split].sort_values("id").reset_index(drop=True)
        chosen = given[given["id"].isin(rows["id"])].sort_values("id").reset_index(drop=True)
        scores.append(accuracy_score(rows["label"], chosen["label"]))
    return scores


# -- many small ones --------------------------------------------------------------------------------------------------


def small_rows(folder: Path, *, seconds: float = 10.0, clients: int = 8) -> list[Row]:
    """Submissions of 1,000 rows from several clients at once, and reads of the board that they made."""
    labels = np.random.default_rng(0).integers(0, 2, 1000)
    competition = write_competition(folder / "small", labels)
    with serving(folder, competition, uploads_per_minute=10**6, sign_ups_per_hour=1000) as server:
        submitted = _seconds_each(submit_for, server, clients, seconds)
        read = _seconds_each(read_for, server, 2, seconds / 2)
    one, floor = "one server process", seconds_to_disk(folder, next(_small_files(0)))
    durable = f"durable (to write such a file and wait for the disk takes {1000 * floor:.1f} ms here)"
    return [
        Row(f"a submission of 1,000 rows, {clients} clients at once, {one}, {durable}", submitted, 1 / PER_SECOND, 1.0),
        Row(f"a read of the leaderboard, 2 clients at once, {one}", read, 1 / READS_PER_SECOND, 1.0),
    ]


def _seconds_each(work: Callable[[str, float, int], int], server: Served, clients: int, seconds: float) -> float:
    """How long one takes, on the average of all clients together."""
    spawning = get_context("spawn")
    with ProcessPoolExecutor(clients, spawning, _meet_at, (spawning.Barrier(clients),)) as pool:
        counts = list(pool.map(work, clients * [server.url], clients * [seconds], range(clients)))
    return seconds / sum(counts)


def seconds_to_disk(folder: Path, content: bytes, *, rounds: int = 100) -> float:
    """The floor of what is durable: one file after another, each on the disk before the next; the median."""
    taken = []
    with (folder / "floor.bin").open("wb") as file:
        for _ in range(rounds):
            start = time.perf_counter()
            file.write(content)
            file.flush()
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - start)
    return median(taken)


def submit_for(url: str, seconds: float, number: int) -> int:
    """How many submissions one team makes in that time; every one is new."""
    # The plainest of clients: clients and server share the machine, and only the server is measured.
    bodies, address = _small_files(number), urlsplit(url)
    with Client(url) as client:
        token = enter(client, f"client-{number}", "small")
    connection = HTTPConnection(str(address.hostname), address.port)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    _barriers[0].wait()
    done, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        key = {"Idempotency-Key": f"{number}-{done}"}
        connection.request("POST", "/api/v1/competitions/small/submissions", _form(next(bodies)), headers | key)
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status == 201, content
        done += 1
    connection.close()
    return done


def _form(content: bytes) -> bytes:
    """A file as the form that a browser would send."""
    opening = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="p.csv"\r\n\r\n'
    return opening.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()


def _small_files(client: int) -> Iterator[bytes]:
    """One file of guesses after another; only the guesses are written anew."""
    rng = np.random.default_rng(client)
    lines = [b"id,label\n", *(b"%d,0\n" % row for row in range(1, 1001))]
    content = np.frombuffer(bytearray(b"".join(lines)), np.uint8)
    guesses = np.cumsum([len(line) for line in lines])[1:] - 2
    while True:
        content[guesses] = ord("0") + rng.integers(0, 2, 1000)
        yield content.tobytes()


def read_for(url: str, seconds: float, _: int) -> int:
    """How often the first page of the board can be read in that time, each time anew."""
    address = urlsplit(url)
    connection = HTTPConnection(str(address.hostname), address.port)
    _barriers[0].wait()
    done, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        connection.request("GET", "/api/v1/competitions/small/leaderboard")
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status == 200, content
        done += 1
    connection.close()
    return done


def _meet_at(barrier: Any) -> None:
    """Let a client process know where all of them wait for each other before they begin."""
    _barriers.append(barrier)


_barriers: list[Any] = []


# -- what both need ---------------------------------------------------------------------------------------------------


def write_competition(folder: Path, labels: Labels) -> Path:
    """A competition in which half of the rows are public and nobody is kept from submitting."""
    folder.mkdir()
    usage = np.where(np.arange(len(labels)) % 2 == 0, "Public", "Private")
    rows = {"id": np.arange(1, len(labels) + 1), "label": labels, "Usage": usage}
    pl.DataFrame(rows).write_csv(folder / "solution.csv")
    (folder / "description.md").write_text("# A benchmark\n")
    (folder / "competition.toml").write_text(
        f'title = "{folder.name}"\nmetric = "error_rate"\n[limits]\nper_day = "none"\n'
    )
    return folder


def enter(client: Client, name: str, slug: str) -> str:
    """An account and a team of that name; returns its token."""
    client.sign_up(name, PASSWORD)
    token = client.sign_in(name, PASSWORD).token
    client.create_team(slug, name)
    return token
