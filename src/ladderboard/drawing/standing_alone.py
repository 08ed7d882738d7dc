"""A drawing as an SVG file that stands alone: with the colours of the light look, which every viewer knows."""

import re

from ladderboard.drawing.elements import Drawing, tag
from ladderboard.drawing.look import LOOK, read_tokens

CHARTS = "/* ---- charts ---- */"


def make_standing_alone(drawing: Drawing) -> str:
    """The picture with its style inside and a white ground.

    >>> make_standing_alone(Drawing('<svg class="ch"><path d="M0 0"/></svg>'))[:40]
    '<svg xmlns="http://www.w3.org/2000/svg" '
    """
    opening, body = str(drawing).split(">", 1)
    ground = tag("rect", width="100%", height="100%", fill="#ffffff")
    return f"{opening.replace('<svg', '<svg xmlns=' + NAMESPACE, 1)}><style>{_read_style()}</style>{ground}{body}\n"


NAMESPACE = '"http://www.w3.org/2000/svg"'


def _read_style() -> str:
    """The rules of charts, each colour by itself: viewers of SVG files know neither variables nor light and dark."""
    rules = LOOK.read_text(encoding="utf-8").split(CHARTS)[1].split("/* ----")[0]
    values = dict(re.findall(r"--([\w-]+):\s*([^;]+);", read_tokens()))
    plain = {name: re.sub(r"light-dark\(([^,]+),[^)]*\)", r"\1", value) for name, value in values.items()}
    filled = re.sub(r"var\(--([\w-]+)\)", lambda found: plain[found[1]].replace('"', "'"), rules)
    kept = re.findall(r"^\.ch[^{}]*{[^{}]*}", filled, flags=re.MULTILINE)
    return "".join(re.sub(r"\s+", " ", rule) for rule in kept)
