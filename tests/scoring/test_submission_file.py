"""What is said of a submitted file without labels: archives that climb, bombs, links, pickles, and missing items."""

import io
import json
import struct
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from ladderboard.core.errors import InputError, SubmissionError
from ladderboard.scoring.archives import unpack
from ladderboard.scoring.submission_file import FileFormat, find_format
from ladderboard.tabular.problems import Problems
from tests.scoring.file_competitions import make_zip

IDS = ("a", "b", "c")
SAMPLE = make_zip((f"{one}.txt", "x") for one in IDS)


def read_format(sample: bytes = SAMPLE, name: str = "sample_submission.zip") -> FileFormat:
    return find_format(sample, name, IDS, max_bytes=1 << 20, max_unpacked_bytes=1 << 22)


def refuse(shape: FileFormat, content: bytes) -> str:
    with pytest.raises(SubmissionError) as refusal:
        shape.check(content, "mine")
    return str(refusal.value)


def make_tar(*members: tarfile.TarInfo, mode: str = "w:gz") -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode=mode) as archive:  # type: ignore[call-overload]
        for member in members:
            member.size = 1 if member.isreg() else 0
            archive.addfile(member, io.BytesIO(b"x") if member.isreg() else None)
    return content.getvalue()


def make_member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member


@pytest.mark.parametrize(
    "name", ["../a.txt", "/etc/a.txt", "b/../../a.txt", "C:/a.txt", "a\\b.txt", "a\nb.txt", "x" * 300]
)
def test_names_that_climb_out_or_cannot_be_written_are_refused(name: str, tmp_path: Path) -> None:
    for content in (make_zip({name: "x"}), make_tar(make_member(name))):
        assert "name" in refuse(read_format(), content)
        with pytest.raises(SubmissionError):
            unpack(content, tmp_path / "in", Problems(), most_unpacked=1 << 20)
    assert not list(tmp_path.parent.glob("a.txt"))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_special_files_are_refused(kind: bytes) -> None:
    content = make_tar(make_member("a.txt", kind, "/etc/passwd"))
    assert "a link or no ordinary file" in refuse(read_format(), content)


def test_a_link_in_a_zip_is_refused() -> None:
    content, info = io.BytesIO(), zipfile.ZipInfo("a.txt")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    assert "a link or no ordinary file" in refuse(read_format(), content.getvalue())


def test_bombs_are_stopped_at_the_limit_whatever_their_directory_says() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"\0" * (8 << 20))
    bomb = content.getvalue()
    assert "unpacks to more than the 4 MiB" in refuse(read_format(), bomb)
    lying = bomb.replace(struct.pack("<I", 8 << 20), struct.pack("<I", 10))
    assert lying != bomb
    assert "mine" in refuse(read_format(), lying)


def test_files_that_come_twice_or_are_also_folders_are_refused() -> None:
    assert "twice" in refuse(read_format(), make_tar(make_member("a.txt"), make_member("a.txt")))
    assert "twice" in refuse(read_format(), make_zip({"a.txt": "x", "a.txt/b.txt": "y"}))


def test_a_broken_or_empty_archive_is_refused() -> None:
    for content in (SAMPLE[:-30], b"PK\x03\x04nothing", make_zip({}), b"id,label\n"):
        assert "archive" in refuse(read_format(), content)


def test_missing_items_are_told_for_free() -> None:
    assert "1 of 3 items are missing: 'c'" in refuse(read_format(), make_zip({"a.txt": "x", "b.txt": "y"}))


@pytest.mark.parametrize(
    ("name", "sample", "bad", "told"),
    [
        ("s.json", json.dumps({"a": 1, "b": 2, "c": 3}), json.dumps({"a": 1, "b": 1}), "missing: 'c'"),
        ("s.json", json.dumps([{"image_id": one} for one in IDS]), "[{}]", "3 of 3 items are missing"),
        ("s.json", json.dumps({"a": 1, "b": 2, "c": 3}), "{'a': 1}", "line 1: this is not JSON"),
        ("s.json", "{}", "[" * 100_000, "nested too deeply"),
        ("s.jsonl", "\n".join(json.dumps({"id": one}) for one in IDS), '{"id": "a"}\n{"id"', "line 2: this line is"),
        ("s.csv", "id,text\na,x\nb,y\nc,z\n", "id,text\na,x\nb,y\n", "missing: 'c'"),
        ("s.txt", "free text", b"\xff\xfe".decode("latin-1"), ""),
    ],
)  # fmt: skip
def test_each_kind_of_file_is_held_to_its_sample(name: str, sample: str, bad: str, told: str) -> None:
    shape = find_format(sample.encode(), name, IDS, max_bytes=1 << 20, max_unpacked_bytes=1 << 20)
    shape.check(sample.encode())
    assert told in refuse(shape, bad.encode("latin-1"))


def test_pickles_and_arrays_of_objects_are_refused() -> None:
    good, bad = io.BytesIO(), io.BytesIO()
    np.savez_compressed(good, a=np.zeros(2), b=np.zeros(2), c=np.zeros(2))
    np.savez_compressed(bad, a=np.array([{}], dtype=object), b=np.zeros(2), c=np.zeros(2))
    shape = read_format(good.getvalue(), "sample_submission.npz")
    assert "which is a pickle" in refuse(shape, bad.getvalue())
    assert "no .npz file" in refuse(shape, SAMPLE)


def test_a_bad_sample_is_said_to_be_one() -> None:
    with pytest.raises(InputError, match="the sample cannot be read"):
        read_format(b"{", "sample_submission.json")
