"""A zip with a text file for each item → delimited text: the file is called like the id, with any ending."""

import csv
import zipfile
import zlib
from io import BytesIO, StringIO
from pathlib import PurePosixPath

from ladderboard.core.errors import SubmissionError
from ladderboard.core.sizes import format_size
from ladderboard.metrics.text_inputs import LONGEST_TEXT
from ladderboard.tabular.containers import list_members
from ladderboard.tabular.format import SubmissionFormat
from ladderboard.tabular.problems import Problems, quote

LONGEST_FILE = 4 * LONGEST_TEXT + 3
"""Bytes: a character has at most four, and a mark of the encoding three."""
MORE_MEMBERS = 1000
"""So many more files than two for each item are not even listed: their directory could take a gigabyte."""
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, LookupError, OverflowError)


def text_files_as_text(data: bytes, format: SubmissionFormat, problems: Problems) -> bytes | None:
    """The ids and texts of the files; None where the zip holds no file for an item, or is broken, as the reader says.

    Ids are the names of the files without folders and without what follows the last dot.
    """
    if data.count(b"PK\x01\x02") > 2 * len(format.ids) + MORE_MEMBERS:
        words = f"the zip file holds far more files than the {len(format.ids):,} texts that are expected"
        problems.stop("several_members", words)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = list_members(archive)
            if not _are_items(members, format):
                return None
            return _write_rows(archive, members, format, problems)
    except SubmissionError:
        raise  # a ValueError too, but what is wrong is said already
    except BROKEN:
        return None


def _are_items(members: list[zipfile.ZipInfo], format: SubmissionFormat) -> bool:
    """Whether one of the first files is called like an id; a zip with a table holds that alone."""
    names = [_name_item(member) for member in members[:100]]
    return len(members) > 1 and bool((format.index.places(names) >= 0).any())


def _name_item(member: zipfile.ZipInfo) -> str:
    return PurePosixPath(member.filename).stem


def _write_rows(
    archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], format: SubmissionFormat, problems: Problems
) -> bytes:
    problems.place = "row"
    text, left = StringIO(), format.max_unpacked_bytes
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([format.id_column, *format.prediction_columns])
    for member in members:
        content = _read_file(archive, member, problems)
        left -= len(content)
        if left < 0:
            words = f"the archive unpacks to more than the {format_size(format.max_unpacked_bytes)} that are allowed"
            problems.stop("unpacks_too_large", words)
        writer.writerow([_name_item(member), _decode(content, member, problems)])
    return text.getvalue().encode()


def _read_file(archive: zipfile.ZipFile, member: zipfile.ZipInfo, problems: Problems) -> bytes:
    if member.flag_bits & 0x1:
        problems.stop("encrypted_archive", "the zip file is encrypted; zip it without a password")
    with archive.open(member) as file:
        content = file.read(LONGEST_FILE + 1)
    if len(content) > LONGEST_FILE:
        words = f"{quote(member.filename)} is too long; a text has at most {LONGEST_TEXT:,} characters"
        problems.stop("long_text", words)
    return content


def _decode(content: bytes, member: zipfile.ZipInfo, problems: Problems) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        problems.stop("wrong_encoding", f"{quote(member.filename)} is not UTF-8 text; write it as UTF-8")
