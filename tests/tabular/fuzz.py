"""Damaged files without end: what no upload may crash, overfill or slip through.

``fuzzed_files(seed, count, format)`` gives the same files for the same seed. Some are still valid: that is for the
reader to find out.
"""

import gzip
import io
import random
import zipfile
from collections.abc import Callable, Iterator

from ladderboard.tabular import SubmissionFormat, sample_submission

WEIRD_TEXT = [
    "\ufeff", "\u2028", "\u200b", "\u00a0", "\u202e", "١٢٣", "１.５", "−0.5", "½", "e\u0301", "\U0001f600", "ﬀ", "İ",
    "\r", "\x0b", "\x0c", "\x1c", "\x85", "\x00", "'", '"', '""', '"""', "`", "\\", "=1+1", "@SUM(A1)", "#", "--",
]  # fmt: skip
WEIRD_NUMBERS = [
    "1e400", "-1e400", "1e-400", "nan", "NaN", "-inf", "Infinity", "1_0", "0x10", "1e5", "+.5", "5.", ".", "-", "1e",
    "1" * 400, "0." + "3" * 400, "9223372036854775808", "-9223372036854775809", "1,5", "1 000", "50%", "NULL", "None",
    "True", "1e16", "0e0", "-0", "00", "1d5", "1f", "١", " 1", "1 ", '"1"', '" 1"', "'1'", "",
]  # fmt: skip
PARQUET_SHARE = 0.01
"""Each one that looks whole is read by a process of its own, which takes a third of a second to start."""


def fuzzed_files(seed: int, count: int, format: SubmissionFormat) -> Iterator[bytes]:  # noqa: A002
    """Valid submissions to this format, damaged in one to four ways."""
    chance = random.Random(seed)
    text = sample_submission(format, format.classes[0] if format.takes_classes else None)
    tables = [text, text.replace(b",", b";"), text.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + text, _quoted(text)]
    tables += [
        text.replace(b",", b" , "),
        _quoted(text).replace(b",", b", "),
        text.replace(b",", b";").replace(b".", b","),
    ]
    parquet = _parquet(text)
    for _ in range(count):
        if chance.random() < PARQUET_SHARE:
            yield _flip(chance, parquet)
            continue
        data = chance.choice(tables)
        for _ in range(chance.choice((1, 1, 2, 4))):
            data = chance.choice(TEXT_DAMAGE)(chance, data)
        if chance.random() < 0.25:
            data = chance.choice(PACKINGS)(data)
            if chance.random() < 0.7:
                data = chance.choice(BYTE_DAMAGE)(chance, data)
        yield data


def _flip(chance: random.Random, data: bytes) -> bytes:
    damaged = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        if damaged:
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def _truncate(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _cut(chance: random.Random, data: bytes) -> bytes:
    start = chance.randrange(len(data) + 1)
    return data[:start] + data[start + chance.randint(1, 50) :]


def _splice(chance: random.Random, data: bytes) -> bytes:
    start, to = chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)
    return data[:to] + data[start : start + chance.randint(1, 200)] + data[to:]


def _insert(chance: random.Random, data: bytes, new: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + new + data[at:]


def _random_bytes(chance: random.Random, data: bytes) -> bytes:
    return _insert(chance, data, chance.randbytes(chance.randint(1, 20)))


def _only_random_bytes(chance: random.Random, data: bytes) -> bytes:
    return chance.randbytes(min(len(data), chance.randint(0, 300)))


def _weird_text(chance: random.Random, data: bytes) -> bytes:
    return _insert(chance, data, chance.choice(WEIRD_TEXT).encode())


def _weird_cell(chance: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    row = chance.randrange(len(lines))
    cells = lines[row].split(b",")
    cells[chance.randrange(len(cells))] = chance.choice(WEIRD_NUMBERS).encode()
    lines[row] = b",".join(cells)
    return b"\n".join(lines)


def _lines(chance: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    row, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    change = chance.randrange(4)
    if change == 0:
        lines.insert(row, lines[other])
    elif change == 1:
        del lines[row]
    elif change == 2:
        lines[1:] = chance.sample(lines[1:], len(lines) - 1)
    else:
        lines.insert(row, b"")
    return b"\n".join(lines)


def _quotes(chance: random.Random, data: bytes) -> bytes:
    return _insert(chance, data, b'"' * chance.choice((1, 2, 3, 1000)))


def _delimiters(chance: random.Random, data: bytes) -> bytes:
    return data.replace(chance.choice((b",", b"\n", b";", b"\r")), chance.choice((b"\t", b" ", b",", b"\r", b"\n\n")))


def _encoding(chance: random.Random, data: bytes) -> bytes:
    text = data.decode("utf-8", errors="replace") + chance.choice(("", "é"))
    return text.encode(chance.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig")), errors="replace")


def _long(chance: random.Random, data: bytes) -> bytes:
    return _insert(chance, data, chance.choice((b"9", b"x", b",", b'"",', b"\n", b" ")) * 200_000)


def _quoted(text: bytes) -> bytes:
    lines = (b",".join(b'"' + cell + b'"' for cell in line.split(b",")) for line in text.split(b"\n") if line)
    return b"\r\n".join(lines)


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def _zip(data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("submission.csv"), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _parquet(text: bytes) -> bytes:
    import polars as pl

    written = io.BytesIO()
    pl.read_csv(text).write_parquet(written)
    return written.getvalue()


Damage = Callable[[random.Random, bytes], bytes]
BYTE_DAMAGE: list[Damage] = [_flip, _truncate, _cut, _splice, _random_bytes]
TEXT_DAMAGE: list[Damage] = [
    *BYTE_DAMAGE, _only_random_bytes, _weird_text, _weird_cell, _weird_cell, _lines, _lines, _quotes, _delimiters,
    _encoding, _long,
]  # fmt: skip
PACKINGS: list[Callable[[bytes], bytes]] = [_gzip, _zip]
