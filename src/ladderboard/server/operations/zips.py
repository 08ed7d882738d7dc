"""Zip archives as a stream: each part is sent while the next is made, and none is kept."""

import zipfile
from collections.abc import Iterable, Iterator

LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The date of every member, so that the same content makes the same archive."""

ZipMember = tuple[str, Iterable[bytes]]


class _Outlet:
    """A buffer that the archive is written to and taken from."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, part: bytes) -> int:
        self._parts.append(bytes(part))
        return len(part)

    def flush(self) -> None:
        """Do nothing, since nothing is buffered."""

    def take(self) -> bytes:
        parts, self._parts = b"".join(self._parts), []
        return parts


def stream_zip(members: Iterable[ZipMember]) -> Iterator[bytes]:
    """Stream the bytes of an archive with these members (name, parts of the content).

    >>> import io
    >>> archive = zipfile.ZipFile(io.BytesIO(b"".join(stream_zip([("a.txt", [b"one ", b"two"])]))))
    >>> archive.read("a.txt")
    b'one two'
    """
    outlet = _Outlet()
    # No seek: zipfile then writes sizes after the content, which every program reads.
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for name, parts in members:
            info = zipfile.ZipInfo(name, LONG_AGO)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            with archive.open(info, "w", force_zip64=True) as member:
                for part in parts:
                    member.write(part)
                    taken = outlet.take()
                    if taken:
                        yield taken
            yield outlet.take()
    yield outlet.take()
