"""Long names, cut in the middle: names of models differ at their ends."""

from collections import Counter
from collections.abc import Sequence


def shorten_names(names: Sequence[str], width: int) -> list[str]:
    """Cut long names in the middle; a name stays whole where another one would then read alike.

    >>> shorten_names(["org/model-7b-chat-v1", "org/model-7b-chat-v2", "ours"], 11)
    ['org/m…at-v1', 'org/m…at-v2', 'ours']
    """
    head = width // 2
    short = [
        name if len(name) <= width else f"{name[:head]}…{name[len(name) - (width - head - 1) :]}" for name in names
    ]
    times = Counter(short)
    return [cut if times[cut] == 1 else name for name, cut in zip(names, short, strict=True)]
