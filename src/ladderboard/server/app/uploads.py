"""A multipart upload, received in memory under a limit: one file, a few short fields.

Starlette's form parser goes through a temporary file; a submission is read whole anyway, so it is gathered here once.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

from ladderboard.core.errors import HostingError, PayloadTooLargeError

LONGEST_FIELD = 10_000
MOST_PARTS = 20
MEBIBYTE = 1 << 20


class BadUploadError(HostingError):
    """The request is no multipart form with a file."""

    code, status = "bad_upload", 422


@dataclass(frozen=True, eq=False)
class UploadedForm:
    """The received form: the file's bytes and name, and the other fields as text."""

    content: bytes = field(repr=False)
    file_name: str
    fields: Mapping[str, str]


async def receive_upload(chunks: AsyncIterator[bytes], content_type: str, *, limit: int) -> UploadedForm:
    """Read the body of a request. Raises `PayloadTooLargeError` as soon as it is longer than ``limit`` bytes."""
    kind, options = parse_options_header(content_type)
    if kind != b"multipart/form-data" or b"boundary" not in options:
        raise BadUploadError("send the file as multipart/form-data in a field named `file`")
    gathering = _FormParts()
    received = 0
    try:
        parser = MultipartParser(options[b"boundary"], gathering.callbacks())
        async for chunk in chunks:
            received += len(chunk)
            if received > limit:
                raise PayloadTooLargeError(f"the upload is larger than {limit / MEBIBYTE:.0f} MiB, which is the limit")
            parser.write(chunk)
        parser.finalize()
    except (FormParserError, UnicodeDecodeError):
        raise BadUploadError("the upload is not a complete multipart form; was it cut off?") from None
    return gathering.upload()


class _FormParts:
    """Gathers what the parser calls out."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._header_name, self._header_value = b"", b""
        self._headers: dict[bytes, bytes] = {}
        self._file: tuple[str, bytes] | None = None
        self._fields: dict[str, str] = {}
        self._parts = 0
        self._is_complete = False

    def callbacks(self) -> Any:
        return {
            "on_part_begin": self._begin,
            "on_part_data": self._data,
            "on_part_end": self._end,
            "on_header_field": self._name,
            "on_header_value": self._value,
            "on_header_end": self._header_end,
            "on_end": self._complete,
        }

    def upload(self) -> UploadedForm:
        if not self._is_complete:
            raise BadUploadError("the upload is not a complete multipart form; was it cut off?")
        if self._file is None:
            raise BadUploadError("there is no file in the upload; send it in a field named `file`")
        name, content = self._file
        return UploadedForm(content, name, self._fields)

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise BadUploadError(f"the form has more than {MOST_PARTS} fields; `file` and `note` are all that is read")
        self._pieces, self._headers = [], {}

    def _data(self, data: bytes, start: int, end: int) -> None:
        self._pieces.append(data[start:end])

    def _name(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _value(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _header_end(self) -> None:
        self._headers[self._header_name.lower()] = self._header_value
        self._header_name, self._header_value = b"", b""

    def _end(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        name = options.get(b"name", b"").decode()
        content = b"".join(self._pieces)
        self._pieces = []
        if name == "file":
            if self._file is not None:
                raise BadUploadError("there are two files in the upload; send one")
            self._file = (_clean_name(options.get(b"filename", b"")), content)
        elif len(content) > LONGEST_FIELD:
            raise BadUploadError(f"the field {name!r} is longer than {LONGEST_FIELD} bytes")
        elif b"\x00" in content or "\x00" in name:
            # PostgreSQL keeps no NUL in a text: said here, where it costs nothing.
            raise BadUploadError("a field of the form holds a NUL character; send plain text")
        else:
            self._fields[name] = content.decode()

    def _complete(self) -> None:
        self._is_complete = True


def _clean_name(given: bytes) -> str:
    """Clean a file name for display: without folders and unprintable characters."""
    name = given.decode("utf-8", "replace").replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(character for character in name if character.isprintable())[:200]
