"""Members of zip archives, also of those packed with zstandard, which ``zipfile`` reads only since Python 3.14."""

import struct
import zipfile

from ladderboard.core.errors import InputError

ZSTANDARD = 93
"""The number of the method in the zip format (PKWARE APPNOTE 6.3.7, 4.4.5)."""
_LOCAL_HEADER = struct.Struct("<26xHH")
MOST_BYTES = 1 << 30


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a member, whatever method it is packed with."""
    member = archive.getinfo(name)
    if member.file_size > MOST_BYTES:
        raise InputError(f"{archive.filename}: {name} would be {member.file_size} bytes; that is too large")
    if member.compress_type != ZSTANDARD:
        return archive.read(member)
    try:
        import zstandard
    except ImportError:
        raise InputError(
            f"{archive.filename} is packed with zstandard: pip install '.[files]' in Ladderboard's checkout, or write "
            "JSON logs (inspect log convert --to json)"
        ) from None
    packed = _read_packed(archive, member)
    with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:
        return reader.read(member.file_size)


def _read_packed(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    file = archive.fp
    assert file is not None
    file.seek(member.header_offset)
    name_length, extra_length = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    file.seek(name_length + extra_length, 1)
    return file.read(member.compress_size)
