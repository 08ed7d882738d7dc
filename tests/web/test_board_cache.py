"""Rendered boards are kept up to a total length, and rendered once while they are."""

from ladderboard.web.board_cache import BoardCache


def test_what_is_kept_is_bounded_and_the_least_recently_used_goes_first() -> None:
    cache, rendered = BoardCache(most=10), []

    def get(key: str) -> bytes:
        return cache.get(key, lambda: rendered.append(key) or b"1234")  # type: ignore[func-returns-value]  # a note

    assert [get("a"), get("b"), get("a"), get("c"), get("a"), get("b")] == [b"1234"] * 6
    assert rendered == ["a", "b", "c", "b"]


def test_what_is_larger_than_the_cache_is_rendered_every_time() -> None:
    cache = BoardCache(most=3)
    assert [cache.get("a", lambda: "12345"), cache.get("a", lambda: "67890")] == ["12345", "67890"]
