from ladderboard.core.randomness import derive_generator, derive_seed, secret_from_seed


def test_the_same_purpose_gives_the_same_draws() -> None:
    draws = [derive_generator(b"secret", "noise", "team", 3).random(4).tolist() for _ in range(2)]
    assert draws[0] == draws[1]


def test_every_part_of_the_purpose_and_the_secret_matter() -> None:
    purposes: list[tuple[str | int, ...]] = [
        ("noise", "a", 1),
        ("noise", "a", 2),
        ("noise", "b", 1),
        ("split", "a", 1),
        ("noise", "a1", ""),
    ]
    seeds = {derive_seed(secret, *purpose) for purpose in purposes for secret in (b"one", b"two")}
    assert len(seeds) == 10


def test_a_users_seed_stands_for_one_secret() -> None:
    assert secret_from_seed(7) == secret_from_seed(7) != secret_from_seed(8)
