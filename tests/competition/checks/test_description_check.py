"""A description with pictures, formulas and folded parts: what cannot be shown is found by line."""

from pathlib import Path

import pytest

from ladderboard.competition.description.formulas import FormulaError, convert_formula
from tests.competition.folders import inspect

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63fccf"
    "c0500f0004850180845f6c9d0000000049454e44ae426082"
)


def describe(folder: Path, text: str, **pictures: bytes) -> list[str]:
    """The findings of a folder with this description and these pictures under images/."""
    (folder / "images").mkdir(exist_ok=True)
    for name, content in pictures.items():
        (folder / "images" / name.replace("__", ".")).write_bytes(content)
    return [str(one) for one in inspect(folder, description__md="# Whales\n\n" + text).findings]


def test_what_can_be_shown_is_not_found(tmp_path: Path) -> None:
    text = (
        "![map](images/map.png) ![map](./images/my%20map.PNG) ![own](/static/icon.svg)\n\n"
        "It costs $5 or $10, and $\\frac{1}{n}\\sum_i x_i$.\n\n$$\n\\hat{y} = \\sigma(w^\\top x)\n$$\n\n"
        "<details>\n<summary>More</summary>\n\n| a |\n|---|\n| 1 |\n\n</details>\n\n`$\\foo$ ![x](gone.png)`\n"
    )
    assert describe(tmp_path, text, map__png=PNG, **{"my map__PNG": PNG}) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("![x](images/gone.png)", "there is no file images/gone.png"),
        ("![x](map.png)", "pictures must be in images/"),
        ("![x](data/map.png)", "pictures must be in images/"),
        ("![x](images/../solution.csv)", "pictures must be in images/"),
        ("![x](images/%2e%2e/%2e%2e/secret.png)", "pictures must be in images/"),
        ("![x](../secret.png)", "pictures must be in images/"),
        ("![x](images/link.png)", "leads out of images/"),
        ("![x](images/drawing.svg)", "save it as PNG"),
        ("![x](images/solution.csv)", "save it as PNG"),
        ("![x](images/false.png)", "not a picture of the type"),
        ("![x](images/.hidden.png)", "pictures must be in images/"),
        ("![x](https://example.org/a.png)", "is on another site"),
        ("Text\n\nand $\\frac{1}{n$.", "a brace { is never closed"),
        ("$$\n\\foo x\n$$", "there is no command \\foo"),
        ("$\\left( x$", "cannot be drawn"),
        ("<details>\nnever closed\n", "without its other half"),
    ],
)
def test_what_cannot_be_shown_is_found_by_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path.parent / "secret.png").write_bytes(PNG)
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "link.png").symlink_to(tmp_path.parent / "secret.png")
    found = describe(tmp_path, text, drawing__svg=b"<svg/>", solution__csv=b"id\n", false__png=b"<script>")
    assert len(found) == 1, found
    line = 5 if text.startswith("Text") else 3
    assert found[0].startswith(f"description.md:{line}: warning: ")
    assert words in found[0]


@pytest.mark.parametrize(
    "latex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\text{&lt;script&gt;alert(1)&lt;/script&gt;}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{position:fixed}{x}",
        r"\class{note}{x}",
        r'\mathrm{"onclick=alert(1)}',
        r"\color{red;background:url(//example.org)}{x}",
        r"\unicode{x3c}img src=x onerror=alert(1)\unicode{x3e}",
        r"x<img src=x onerror=alert(1)>",
        r'\begin{array}{c"onload=alert(1)}x\end{array}',
    ],
)
def test_a_formula_holds_no_markup_of_its_own(latex: str) -> None:
    from tests.web.pages.tree import tree_of

    try:
        drawn = convert_formula(latex)
    except FormulaError:
        return
    for node in tree_of(drawn).walk():
        assert node.tag.startswith("m"), drawn
        assert not {"href", "style", "class", "id", "mathcolor", "src"} & set(node.attributes), drawn
        assert not [name for name in node.attributes if name.startswith("on")], drawn


def test_a_formula_cannot_make_the_server_work_for_long() -> None:
    for latex in ("{" * 900 + "}" * 900, "x" * 3000, r"\sqrt" * 390, "x^" * 900):
        with pytest.raises(FormulaError):
            convert_formula(latex)
