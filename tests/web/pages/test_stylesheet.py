"""The stylesheet: contrast computed from its own colours, in light and dark."""

import re

import pytest

from ladderboard.server.app.rendering import assets

CSS = assets()["ladderboard.css"].content.decode()
TOKENS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", CSS)
}
TEXT_AA, GRAPHIC_AA = 4.5, 3.0

TEXT_ON = [
    *(
        (text, ground)
        for text in ("ink", "soft", "faint", "accent", "rust", "amber")
        for ground in ("paper", "surface")
    ),
    *((text, "sunk") for text in ("ink", "soft", "faint", "accent")),
    *((text, "accent-wash") for text in ("ink", "soft", "faint", "accent")),
    *((text, "rust-wash") for text in ("ink", "soft", "rust", "accent")),
    *((text, "amber-wash") for text in ("ink", "soft", "amber", "accent")),
    ("on-accent", "accent"),
    ("paper", "ink"),
]
GRAPHIC_ON = [
    *((mark, ground) for mark in ("edge", "accent", "rust", "amber", "faint") for ground in ("paper", "surface")),
    ("accent", "accent-wash"),
    ("edge", "sunk"),
]


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_computed_as_wcag_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXT_ON)
def test_text_can_be_read_on_its_ground(text: str, ground: str, theme: int) -> None:
    assert contrast(TOKENS[text][theme], TOKENS[ground][theme]) >= TEXT_AA


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("mark", "ground"), GRAPHIC_ON)
def test_marks_and_edges_can_be_seen_on_their_ground(mark: str, ground: str, theme: int) -> None:
    assert contrast(TOKENS[mark][theme], TOKENS[ground][theme]) >= GRAPHIC_AA


def test_every_colour_is_a_token() -> None:
    rules = CSS.split("/* ---- type ---- */")[1].split("/* ---- print ---- */")[0]
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(", rules)


def test_every_token_that_is_used_is_defined() -> None:
    used, defined = set(re.findall(r"var\(--([\w-]+)\)", CSS)), set(re.findall(r"--([\w-]+):", CSS))
    assert used <= defined


def test_the_sheet_asks_nobody_for_anything() -> None:
    assert "url(" not in CSS
    assert "@import" not in CSS
