"""Checks of description.md: missing pictures, formulas that cannot be drawn, unclosed <details>."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.description.formulas import FormulaError, convert_formula
from ladderboard.competition.description.markdown import FORMULAS, make_parser
from ladderboard.competition.description.pictures import PictureError, find_picture, is_local

if TYPE_CHECKING:
    from markdown_it.token import Token


def check_description(text: str, folder: Path, file: str, findings: Findings) -> None:
    """Warn of pictures, formulas and <details> that the page can only show as text."""
    try:
        tokens = make_parser().parse(text)
    except ModuleNotFoundError:  # without the extra `server` there is no page to show it on
        return
    for line, token in _walk(tokens):
        problem = _find_problem(token, folder)
        if problem is not None:
            findings.warn(file, line, problem)


def _walk(tokens: "list[Token]") -> "Iterator[tuple[int | None, Token]]":
    """Every token with its line; within a line of text, the first line of its paragraph."""
    for token in tokens:
        line = None if token.map is None else token.map[0] + 1
        yield line, token
        for child in token.children or []:
            yield line, child


def _find_problem(token: "Token", folder: Path) -> str | None:
    if token.type in FORMULAS:
        try:
            convert_formula(token.content.strip(), is_block=token.type != FORMULAS[0])
        except FormulaError as problem:
            return f"the formula {_shorten(token.content)} cannot be drawn: {problem}"
    if token.type == "image":
        return _find_picture_problem(str(token.attrGet("src") or ""), folder)
    if token.type == "text" and token.content.strip() in ("<details>", "<details open>", "</details>"):
        return f"{token.content.strip()} is without its other half; write both, on lines of their own"
    return None


def _find_picture_problem(address: str, folder: Path) -> str | None:
    if not is_local(address):
        is_foreign = "//" in address
        return f"the picture {address} is on another site and is not shown; put it into images/" if is_foreign else None
    try:
        find_picture(folder, address)
    except PictureError as problem:
        return f"the picture {address} is not shown: {problem}"
    return None


def _shorten(latex: str) -> str:
    text = " ".join(latex.split())
    return f"${text}$" if len(text) <= 40 else f"${text[:40]}…"
