"""Kinds of submitted files, right and wrong, and what each costs a server beside a right file of the same rows."""

import gzip
import io
import unicodedata
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import mean

import httpx
import numpy as np
import polars as pl

from benchmarks._served import Served
from benchmarks.hosting_http import enter
from benchmarks.row import Row
from ladderboard.client import Client

ROWS = 200_000
ROUNDS = 3
TIMES, MEGABYTES = 3.0, 300
"""The promises: at most so many times the processor time of a right file, and so much memory above an idle server."""
HEADER = "id,label\n"


def _text(line: str, *, header: str = HEADER) -> Callable[[int], bytes]:
    """Files of one such line for each id; ``value`` differs from round to round."""
    return lambda seed: (header + "".join(line.format(id=one, value=v) for one, v in _rows(seed))).encode()


def _rows(seed: int) -> list[tuple[int, str]]:
    values = np.random.default_rng(seed).integers(1, 10**6, ROWS)
    return [(one, f"{value:06d}") for one, value in enumerate(values.tolist(), start=1)]


RIGHT = _text("{id},0.{value}\n")
RIGHT_TEXT = _text('é "{id}",0.{value}\n')
"""For ids that are text, and such text as other programs write in another way."""


def _zip(seed: int) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("p.csv", RIGHT(seed))
    return written.getvalue()


def _parquet(seed: int) -> bytes:
    written = io.BytesIO()
    pl.read_csv(RIGHT(seed)).write_parquet(written)
    return written.getvalue()


KINDS: Mapping[str, Callable[[int], bytes]] = {
    "gzip": lambda seed: gzip.compress(RIGHT(seed)),
    "zip": _zip,
    "Parquet": _parquet,
    "CR LF": _text("{id},0.{value}\r\n"),
    "quoted cells": _text('"{id}","0.{value}"\n'),
    "blank lines": _text("{id},0.{value}\n\n"),
    "decimal commas": _text("{id};0,{value}\n", header="id;label\n"),
    "blanks around cells": _text(" {id} , 0.{value} \n"),
    "columns of one width": _text("{id:>12},0.{value:<20}\n"),
    "quotation marks after a blank": _text('{id}, "0.{value}"\n'),
    "ids like 7.0": _text("{id}.0,0.{value}\n"),
    "cells over two lines": _text('{id},"0.{value}\n"\n'),
    "lines of a blank": _text("{id},0.{value}\n \n"),
    "one bad last row": lambda seed: RIGHT(seed) + b"1,zero\n",
    "every value bad": _text("{id},x{value}\n"),
    "every value after a wrong quotation mark": _text('{id},"0."{value}\n'),
    "every id unknown": _text("x{id},0.{value}\n"),
    "Latin-1 on every line": lambda seed: _text("{id},é{value}\n")(seed).decode().encode("latin-1"),
    "Latin-1 on the last line": lambda seed: RIGHT(seed) + b"1,\xe9\n",
    "a bad quotation mark every 10,000 rows": lambda seed: RIGHT(seed).replace(b"0000,0.", b'0000,"0."'),
    "one line of commas": lambda _: HEADER.encode() + b"," * 3_000_000,
    "gzip of 20 MB of commas": lambda _: gzip.compress(HEADER.encode() + b"," * 20_000_000),
    "lines of a million commas": lambda _: HEADER.encode() + (b"," * 1_000_000 + b"\n") * 3,
    "gzip of 100,000 empty members": lambda seed: gzip.compress(RIGHT(seed)) + gzip.compress(b"") * 100_000,
    "gzip with a name of 3 MB": lambda seed: (
        b"\x1f\x8b\x08\x08\0\0\0\0\0\x03" + b"n" * 3_000_000 + b"\0" + gzip.compress(RIGHT(seed))[10:]
    ),
}
TEXT_KINDS: Mapping[str, Callable[[int], bytes]] = {
    "text ids in doubled quotation marks": _text('"é ""{id}""",0.{value}\n'),
    "text ids with accents apart (NFD)": lambda seed: unicodedata.normalize("NFD", RIGHT_TEXT(seed).decode()).encode(),
    "text ids and one bad last row": lambda seed: RIGHT_TEXT(seed) + b"x,1\n",
    "an id of 500,000 accents": lambda _: (HEADER + "a" + "\u0301\u0323" * 250_000 + ",1\n").encode(),
}
COMPETITIONS: Mapping[str, tuple[Callable[[int], bytes], Mapping[str, Callable[[int], bytes]]]] = {
    "numbered": (RIGHT, KINDS),
    "named": (RIGHT_TEXT, TEXT_KINDS),
}
"""By name: the right file, and the kinds that are compared with it."""


def write_competition(folder: Path) -> Path:
    """A competition of numbers, without limits, with the ids of its right file."""
    folder.mkdir()
    usage = np.where(np.arange(ROWS) % 2 == 0, "Public", "Private")
    labels = np.random.default_rng(0).random(ROWS).round(6)
    right, _ = COMPETITIONS[folder.name]
    ids = pl.read_csv(right(0), quote_char=None)["id"]
    pl.DataFrame({"id": ids, "label": labels, "Usage": usage}).write_csv(folder / "solution.csv")
    (folder / "description.md").write_text("# A benchmark\n")
    (folder / "competition.toml").write_text(f'title = "{folder.name}"\nmetric = "rmse"\n[limits]\nper_day = "none"\n')
    return folder


def kind_rows(server: Served) -> list[Row]:
    """Two rows for each kind: processor time against a right file, and the peak of memory above idle."""
    rows = []
    for slug, (right, kinds) in COMPETITIONS.items():
        with Client(server.url) as client:
            token = enter(client, f"sender-{slug}", slug)
        send = partial(_measure, server, slug, token)
        seconds, _, status = send(right, seeds=range(1, 2 + 4 * ROUNDS))
        if status != 201:
            raise RuntimeError(f"the right file was answered {status}")
        for place, (name, make) in enumerate(kinds.items(), start=1):
            found, peak, status = send(make, seeds=range(100 * place, 100 * place + 1 + ROUNDS))
            what = f"{name} (answered {status})"
            rows += [
                Row(f"{what}: processor time against a right file of {ROWS:,} rows", found, seconds, TIMES),
                Row(f"{what}: peak memory above idle", peak, MEGABYTES, 1.0, unit="MB"),
            ]
    return rows


def _measure(
    server: Served, slug: str, token: str, make: Callable[[int], bytes], *, seeds: Sequence[int]
) -> tuple[float, float, int]:
    """Mean processor seconds, the highest peak, the status of an answer.

    The first file is not counted: with it comes what is made once for all, such as the index of ids or a process.
    """
    costs = [_cost(server, slug, token, make(seed)) for seed in seeds][1:]
    return mean(one[0] for one in costs), max(one[1] for one in costs), costs[0][2]


def _cost(server: Served, slug: str, token: str, content: bytes) -> tuple[float, float, int]:
    """Processor seconds, megabytes above what was held before, and the answer's status."""
    server.forget_peak()
    idle, tree_idle, before = server.memory_megabytes, server.tree_megabytes, server.processor_seconds
    with server.watching_memory():
        answer = httpx.post(
            f"{server.url}/api/v1/competitions/{slug}/submissions",
            files={"file": ("p.csv", content)},
            headers={"Authorization": f"Bearer {token}"},
            timeout=300,
            trust_env=False,
        )
    # Of the server itself the system keeps the peak; its children are only looked at now and then.
    peak = max(server.peak_megabytes - idle, server.tree_peak_megabytes - tree_idle)
    return server.processor_seconds - before, peak, answer.status_code
