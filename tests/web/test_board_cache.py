"""Rendered boards are kept up to a total length, and rendered once while they are."""

from ladderboard.server.boards.board_page import BoardCache


def test_what_is_kept_is_bounded_and_the_least_recently_used_goes_first() -> None:
    cache, rendered = BoardCache(most=10), []

    def get(page: str) -> bytes:
        return cache.get(page, 1, lambda: rendered.append(page) or b"1234")  # type: ignore[func-returns-value]  # a note

    assert [get("a"), get("b"), get("a"), get("c"), get("a"), get("b")] == [b"1234"] * 6
    assert rendered == ["a", "b", "c", "b"]


def test_a_new_version_takes_the_place_of_the_one_before() -> None:
    cache = BoardCache(most=10)
    cache.get("quiet", 1, lambda: "1234")
    for version in range(5):
        assert cache.get("busy", version, lambda version=version: f"v{version}") == f"v{version}"  # type: ignore[misc]
    assert cache.get("busy", 4, lambda: "again") == "v4"
    assert cache.get("quiet", 1, lambda: "again") == "1234", "a board that changes often pushes no other one out"


def test_what_is_larger_than_the_cache_is_rendered_every_time() -> None:
    cache = BoardCache(most=3)
    assert [cache.get("a", 1, lambda: "12345"), cache.get("a", 1, lambda: "67890")] == ["12345", "67890"]
