"""The child process that reads Parquet files: `python -m ladderboard.tabular.parquet.reader_process`.

It reads requests from its standard input until that ends: four bytes with the length of a header, the header (JSON) and
the file. It answers with pieces of comma-separated text, each after four bytes with its length; a length of zero ends
them, and a line of JSON follows. Its ``word`` is ``table``, ``rows`` (too many, with their ``count``), ``large``,
``broken`` or ``no polars``; with ``is_worn`` the process has kept so much memory that another one should take over.
"""

import io
import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from ladderboard.tabular.parquet.footer import FooterError, read_footer
from ladderboard.tabular.parquet.text_columns import format_column

MEMORY_BESIDES = 96 << 20
"""For the interpreter and the work, beside a multiple of what the file declares."""
COPIES = 4
"""A table is unpacked, cast and written: so many times what it declares may be held at once."""
CELLS_AT_ONCE = 1 << 16
LONGEST_PIECE = 32 << 20


def main() -> None:
    """Answer requests until there are no more."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    has_polars = _warm_up()
    base = _measure_address_space()
    while (header := _read_header(requests)) is not None:
        data = requests.read(header["bytes"])
        ending: dict[str, Any]
        try:
            ending = _convert(data, header, answers) if has_polars else {"word": "no polars"}
        except Exception:  # whatever it is, the file cannot be read; a panic of polars ends this process
            ending = {"word": "broken"}
        ending["is_worn"] = _measure_address_space() > base + MEMORY_BESIDES
        answers.write(struct.pack(">I", 0) + json.dumps(ending).encode() + b"\n")
        answers.flush()


def _warm_up() -> bool:
    """Read a first table, so that polars has reserved what it needs; False where there is no polars."""
    try:
        import polars as pl
    except ImportError:
        return False
    table = io.BytesIO()
    pl.DataFrame({"id": [1], "prediction": [0.5]}).write_parquet(table)
    return any(_write_pieces(table.getvalue()))


def _read_header(requests: IO[bytes]) -> dict[str, Any] | None:
    start = requests.read(4)
    if len(start) < 4:
        return None
    header: dict[str, Any] = json.loads(requests.read(struct.unpack(">I", start)[0]))
    return header


def _convert(data: bytes, header: dict[str, Any], answers: IO[bytes]) -> dict[str, Any]:
    try:
        declared = read_footer(data)
    except FooterError:
        return {"word": "broken"}
    if declared.rows > header["most_rows"]:
        return {"word": "rows", "count": declared.rows}
    if declared.bytes > header["most_bytes"]:
        return {"word": "large"}
    # Beside what earlier files have left reserved: a file may not be refused because of those before it.
    _limit_memory(_measure_address_space() + len(data) + MEMORY_BESIDES + COPIES * declared.bytes)
    left = header["most_bytes"]
    for piece in _write_pieces(data):
        left -= len(piece)
        if left < 0 or not piece:
            return {"word": "large"}
        answers.write(struct.pack(">I", len(piece)) + piece)
    return {"word": "table"}


def _write_pieces(data: bytes) -> Iterator[bytes]:
    """The table as text, some rows at a time; an empty piece where one would be too long."""
    import polars as pl

    frame = pl.read_parquet(io.BytesIO(data))
    frame = frame.select(format_column(frame[name]) for name in frame.columns)
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    yield pl.DataFrame(schema=frame.schema).write_csv().encode()
    for part in frame.iter_slices(max(1, CELLS_AT_ONCE // max(1, frame.width))):
        # A short file may hold one long text that many rows refer to: it is measured before it is written out.
        if sum(part[name].str.len_bytes().sum() for name in texts) > LONGEST_PIECE:
            yield b""
            return
        # A damaged file may hold text that is none, which polars does not look at.
        yield part.write_csv(include_header=False).encode()


def _measure_address_space() -> int:
    """What this process has reserved so far, in bytes; 0 where the system does not tell."""
    try:
        import resource

        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return 0


def _limit_memory(size: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1]))


if __name__ == "__main__":
    main()
