from io import BytesIO
from pathlib import Path

import pytest

import ladderboard as lb
from ladderboard.client.uploads import open_upload, read_whole


@pytest.fixture
def path(tmp_path: Path) -> Path:
    written = tmp_path / "mine.csv"
    written.write_bytes(b"id,p\n1,0.5\n")
    return written


def test_a_path_an_open_file_and_bytes_are_read_alike(path: Path) -> None:
    content = path.read_bytes()
    assert read_whole(path) == (content, "mine.csv")
    assert read_whole(str(path)) == (content, "mine.csv")
    assert read_whole(content) == (content, "predictions.csv")
    assert read_whole(BytesIO(content), name="other.csv") == (content, "other.csv")
    with path.open("rb") as file:
        file.read(3)
        assert read_whole(file) == (content, "mine.csv")
        assert not file.closed


def test_progress_is_told_in_bytes_and_starts_anew_at_the_next_try(path: Path) -> None:
    told: list[tuple[int, int]] = []
    with open_upload(path, name=None, progress=lambda done, total: told.append((done, total))) as upload:
        for _ in range(2):
            upload.seek(0)
            while upload.read(5):
                pass
    assert told == 2 * [(5, 11), (10, 11), (11, 11)]


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(lb.ParameterError, match=r"none\.csv cannot be read: No such file"):
        read_whole(tmp_path / "none.csv")
