"""A zip of texts, a file for each item: read by the names of its files, and what is wrong with it."""

import io
import zipfile

import numpy as np
import pytest

from ladderboard.core.errors import SubmissionError
from ladderboard.tabular import SubmissionFormat, read_predictions

FORMAT = SubmissionFormat("id", np.array(["a.1", "b", "c"]), ("summary",), "text", max_unpacked_bytes=100_000)
GOOD: dict[str, str | bytes] = {"a.1.txt": "one\ntwo, three", "texts/b.md": "", "c": "\ufeffnaïve"}


def pack(files: dict[str, str | bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def refusal(content: bytes, shape: SubmissionFormat = FORMAT) -> str:
    with pytest.raises(SubmissionError) as found:
        read_predictions(content, shape)
    return str(found.value)


def test_each_file_is_the_text_of_the_item_it_is_called_after() -> None:
    turned: dict[str, str | bytes] = {
        **dict(reversed(GOOD.items())),
        "__MACOSX/._b": b"\xff",
        "texts/.DS_Store": b"\xff",
    }
    for files in (GOOD, turned):
        assert read_predictions(pack(files), FORMAT).values.tolist() == ["one\ntwo, three", "", "naïve"]


def test_a_zip_of_one_table_is_read_as_before() -> None:
    table = "id,summary\na.1,x\nb,y\nc,z\n"
    assert read_predictions(pack({"b.csv": table}), FORMAT).values.tolist() == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"d.txt": "x"}, "row 4: there is no id d; ids look like a.1"),
        ({"other/b.txt": "x"}, "row 4: id b appears twice (first on row 2)"),
        ({"c": b"\xff\xfe"}, "'c' is not UTF-8 text; write it as UTF-8"),
        ({"c": "x" * 10_001}, "row 3: column 'summary': "),
        ({"c": "x" * 50_000}, "'c' is too long; a text has at most 10,000 characters"),
        ({"c": "ä" * 9_000, "d": "x" * 30_000, "e": "x" * 30_000, "f": "x" * 30_000}, "unpacks to more than the"),
    ],
    ids=lambda one: str(one)[:20],
)
def test_what_is_wrong_with_a_file_is_told(change: dict[str, str | bytes], words: str) -> None:
    assert words in refusal(pack({**GOOD, **change}))


def test_a_missing_file_is_a_missing_id() -> None:
    assert refusal(pack({"a.1.txt": "x", "b.txt": "y"})) == "the file: 1 id has no row: c"


def test_far_too_many_files_are_not_even_listed() -> None:
    many: dict[str, str | bytes] = {f"t{number}": "" for number in range(1007)}
    assert "the zip file holds far more files than the 3 texts" in refusal(pack(many))


def test_other_zips_are_refused_as_for_every_table() -> None:
    assert "the zip file holds 2 files" in refusal(pack({"x.csv": "1", "y.csv": "2"}))
    assert "the zip file is broken" in refusal(pack(dict(GOOD))[:-10])
    numbers = SubmissionFormat("id", np.array(["a", "b"]), ("p",), "numbers")
    assert "the zip file holds 2 files" in refusal(pack({"a.txt": "1", "b.txt": "2"}), numbers)
