"""A real Dask cluster that scores what is queued: nothing is lost or doubled, whoever is killed."""

import asyncio
import ssl
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from dask.distributed import Scheduler, Security

from ladderboard.core.errors import ParameterError
from ladderboard.server.db.database import Database
from ladderboard.server.jobs.cluster import Cluster, refuse_open_scheduler
from ladderboard.server.jobs.runner import JobRunner
from ladderboard.server.jobs.worker import open_worker, run_worker
from ladderboard.server.settings import Settings
from tests.hosting.hosts import on_sqlite
from tests.hosting.jobs.clusters import Process, start_scheduler, start_worker
from tests.hosting.jobs.queued import job_rows, open_queued, values
from tests.hosting.jobs.test_kills import EACH, TEAMS, QueuedServer
from tests.hosting.live import PATIENCE


@pytest.mark.parametrize("database_kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.soak)], indirect=True)
def test_whoever_is_killed_nothing_is_lost_or_doubled(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = QueuedServer(tmp_path, database_url, monkeypatch, seconds=0.05)
    everything = TEAMS * EACH

    def wait_for(more: int) -> None:
        enough = min(everything - 1, context.count("scored") + more)
        context.wait(lambda: context.count("scored") >= enough)

    def work(address: str) -> Process:
        return start_worker(tmp_path, address, data=context.data, database=context.url)

    with start_scheduler(tmp_path) as scheduler:
        address = scheduler.told.strip()
        monkeypatch.setenv("LADDERBOARD_SCHEDULER", address)
        with context.serve() as server:
            context.send_all(server.port)
            assert context.count("scored") == 0, "there is no worker yet"
            with work(address) as first:
                wait_for(1)
                first.kill()
            with work(address):
                wait_for(1)
                scheduler.kill()
                with start_scheduler(tmp_path, port=int(address.rpartition(":")[2])):
                    wait_for(1)
                    server.kill()
                    with context.serve() as again:
                        context.send_all(again.port)
                        context.wait(lambda: context.count("scored") == everything)
    context.check()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("10.0.0.7:8786", "give an address such as"),
        ("tcp://10.0.0.7:8786", "use tls://"),
        ("tcp://board.example.org:8786", "use tls://"),
        ("tcp://0.0.0.0:8786", "use tls://"),
        ("tls://10.0.0.7:8786", "LADDERBOARD_SCHEDULER_CA, LADDERBOARD_SCHEDULER_CERT, LADDERBOARD_SCHEDULER_KEY"),
        ("inproc://x", "give an address such as"),
    ],
)
def test_a_scheduler_that_others_could_reach_needs_certificates(address: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        refuse_open_scheduler(Settings(scheduler=address))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "tcp://localhost:8786", "tcp://[::1]:8786"])
def test_on_this_machine_a_scheduler_needs_none(address: str) -> None:
    refuse_open_scheduler(Settings(scheduler=address))


def make_certificates(folder: Path) -> dict[str, str]:
    """An authority, and a certificate that it has signed, as files."""
    now, names = datetime.now(UTC), {}
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an authority")])
    signer = ec.generate_private_key(ec.SECP256R1())
    for name, is_authority in (("ca", True), ("cert", False)):
        key = signer if is_authority else ec.generate_private_key(ec.SECP256R1())
        subject = issuer if is_authority else x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "board")])
        made = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .sign(signer, hashes.SHA256())
        )
        names[name] = str(folder / f"{name}.pem")
        Path(names[name]).write_bytes(made.public_bytes(serialization.Encoding.PEM))
    names["key"] = str(folder / "key.pem")
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    Path(names["key"]).write_bytes(private)
    return names


async def knock(port: int, context: ssl.SSLContext) -> None:
    """Connect as whoever has no certificate would."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
    try:
        assert await reader.read(1) == b"", "the scheduler has answered"
        raise ConnectionResetError("reset by the scheduler")
    finally:
        writer.close()


@on_sqlite
def test_with_certificates_a_cluster_scores_and_whoever_has_none_is_refused(database: Database, tmp_path: Path) -> None:
    stage, files = open_queued(database, tmp_path), make_certificates(tmp_path)
    sent = stage.send_values("a", values(0.5)).content["id"]
    stranger = ssl.create_default_context(cafile=files["ca"])
    stranger.check_hostname = False  # it believes the scheduler, and has no certificate of its own
    ends = {"tls_ca_file": files["ca"], "tls_scheduler_cert": files["cert"], "tls_scheduler_key": files["key"]}

    async def play() -> None:
        stopping, done = asyncio.Event(), threading.Event()
        async with Scheduler(
            host="127.0.0.1",
            port=0,
            protocol="tls",
            dashboard=False,
            dashboard_address="127.0.0.1:0",
            security=Security(require_encryption=True, **ends),
        ) as scheduler:
            stage.services.settings = replace(
                stage.services.settings,
                scheduler=scheduler.address,
                scheduler_ca=files["ca"],
                scheduler_cert=files["cert"],
                scheduler_key=files["key"],
            )
            refuse_open_scheduler(stage.services.settings)
            open_worker(stage.services.settings, stage.database)
            worker = asyncio.create_task(
                run_worker(stage.services.settings, threads=1, stopping=stopping, told=lambda _: None)
            )
            runner = asyncio.create_task(asyncio.to_thread(JobRunner(stage.services, Cluster).run, done))
            deadline = time.monotonic() + PATIENCE
            try:
                while job_rows(stage)[0].status != "scored" and time.monotonic() < deadline:
                    await asyncio.sleep(0.05)
                with pytest.raises(OSError, match=r"CERTIFICATE|certificate|reset"):
                    await knock(scheduler.port, stranger)
            finally:
                stopping.set()
                done.set()
                await asyncio.gather(worker, runner)

    asyncio.run(play())
    assert [job.id for job in job_rows(stage) if job.status == "scored"] == [sent]
    stage.services.close()
