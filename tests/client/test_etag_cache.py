from pathlib import Path

from ladderboard.client.etag_cache import ETagCache

URL = "https://board.example.org/sample"


def test_what_was_kept_is_used_once_the_server_says_that_it_holds(tmp_path: Path) -> None:
    for folder in (None, tmp_path / "cache"):
        kept = ETagCache(folder)
        assert kept.headers(URL) == {}
        assert kept.content(URL, is_unchanged=False, headers={"etag": '"1"'}, content=b"old") == b"old"
        assert kept.headers(URL) == {"If-None-Match": '"1"'}
        assert kept.content(URL, is_unchanged=True, headers={}, content=b"") == b"old"
        assert kept.content(URL, is_unchanged=False, headers={"etag": '"2"'}, content=b"new") == b"new"
        assert kept.headers(URL) == {"If-None-Match": '"2"'}
        assert kept.headers(URL + "/other") == {}


def test_the_next_process_finds_what_this_one_kept(tmp_path: Path) -> None:
    ETagCache(tmp_path).content(URL, is_unchanged=False, headers={"etag": '"1"'}, content=b"a\nb\n")
    again = ETagCache(tmp_path)
    assert again.headers(URL) == {"If-None-Match": '"1"'}
    assert again.content(URL, is_unchanged=True, headers={}, content=b"") == b"a\nb\n"


def test_a_folder_that_cannot_be_written_costs_only_the_next_download(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    kept = ETagCache(tmp_path / "file")
    assert kept.content(URL, is_unchanged=False, headers={"etag": '"1"'}, content=b"x") == b"x"
    assert (tmp_path / "file").read_text() == "in the way"
