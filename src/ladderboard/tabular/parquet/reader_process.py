"""The child process that reads Parquet files: `python -m ladderboard.tabular.parquet.reader_process`.

A request is a file. The pieces of its answer are comma-separated text. The ``word`` of its last line is ``table``,
``rows`` (too many, with their ``count``), ``large``, ``unmeasurable``, ``broken`` or ``no polars``; with ``is_worn``
another process should take over, as this one has kept much memory.

A file is refused by what it declares, before anything of it is unpacked. That is the same every time. The limit on the
address space lies far beyond, for what nobody has thought of: how much of it is reserved is up to the allocators.
"""

import io
from collections.abc import Iterator
from typing import Any

from ladderboard.core.child_process.child import Requests, limit_memory, limit_process, limit_seconds, measure_memory
from ladderboard.tabular.parquet.footer import UnmeasurableError, read_footer
from ladderboard.tabular.parquet.text_columns import format_column

COMPUTING_SECONDS = 30.0
"""For one file."""
COPIES = 4
"""A table is unpacked, cast and written: so many times what it declares may be held at once."""
MEMORY_BESIDES = 1 << 30
"""Beside the copies, before the process is ended. A reader that does what the file declares needs a tenth of it."""
MOST_KEPT = 96 << 20
CELLS_AT_ONCE = 1 << 16
LONGEST_PIECE = 32 << 20


def main() -> None:
    """Answer requests until there are no more."""
    requests = Requests()
    limit_process()
    has_polars = _warm_up()
    _, base = measure_memory()
    for header in requests:
        data = requests.read(header["bytes"])
        limit_seconds(COMPUTING_SECONDS, of_computing=True)
        ending = _convert(data, header, requests) if has_polars else {"word": "no polars"}
        limit_seconds(0, of_computing=True)
        requests.answer(**{"is_worn": measure_memory()[1] > base + MOST_KEPT, **ending})


def _warm_up() -> bool:
    """Read a first table, so that polars has reserved what it needs; False where there is no polars."""
    try:
        import polars as pl
    except ImportError:
        return False
    table = io.BytesIO()
    pl.DataFrame({"id": [1], "prediction": [0.5]}).write_parquet(table)
    return any(_write_pieces(table.getvalue()))


def _convert(data: bytes, header: dict[str, Any], requests: Requests) -> dict[str, Any]:
    import polars as pl

    try:
        return _judge(data, header) or _write(data, header["most_bytes"], requests)
    except UnmeasurableError:
        return {"word": "unmeasurable"}
    except MemoryError:  # as if it had ended the process
        raise
    except pl.exceptions.PanicException:  # nobody knows in what state it leaves polars
        return {"word": "broken", "is_worn": True}
    except Exception:  # whatever it is, the file cannot be read
        return {"word": "broken"}


def _judge(data: bytes, header: dict[str, Any]) -> dict[str, Any]:
    """Refuse what declares too much, else set the limit of memory for it."""
    declared = read_footer(data)
    if declared.rows > header["most_rows"]:
        return {"word": "rows", "count": declared.rows}
    if declared.bytes > header["most_bytes"]:
        return {"word": "large"}
    # Beside what earlier files have left reserved: a file may not be refused because of those before it.
    reserved, _ = measure_memory()
    limit_memory(reserved + len(data) + MEMORY_BESIDES + COPIES * declared.bytes)
    return {}


def _write(data: bytes, most_bytes: int, requests: Requests) -> dict[str, Any]:
    left = most_bytes
    for piece in _write_pieces(data):
        left -= len(piece)
        if left < 0 or not piece:
            return {"word": "large"}
        requests.send(piece)
    return {"word": "table"}


def _write_pieces(data: bytes) -> Iterator[bytes]:
    """The table as text, some rows at a time; an empty piece where one would be too long."""
    import polars as pl

    frame = pl.read_parquet(io.BytesIO(data))
    frame = frame.select(format_column(frame[name]) for name in frame.columns)
    yield pl.DataFrame(schema=frame.schema).write_csv().encode()
    for part in frame.iter_slices(max(1, CELLS_AT_ONCE // max(1, frame.width))):
        # A short file may hold one long text that many rows refer to: it is measured before it is written out.
        if sum(map(_count_text, part)) > LONGEST_PIECE:
            yield b""
            return
        # A damaged file may hold text that is none, which polars does not look at.
        yield part.write_csv(include_header=False).encode()


def _count_text(column: Any) -> int:
    """How many bytes of text a column is, whether it repeats texts or refers to them."""
    import polars as pl

    if column.dtype == pl.String:
        return int(column.str.len_bytes().sum())
    return int(column.cat.len_bytes().sum()) if column.dtype in (pl.Categorical, pl.Enum) else 0


if __name__ == "__main__":
    main()
