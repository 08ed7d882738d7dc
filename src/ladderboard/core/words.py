"""Sentences that count something."""


def pluralise(one: str, many: str, count: int, /, **values: object) -> str:
    """Choose between two sentences by a count, which fills ``{n}``; other values fill the other gaps.

    >>> pluralise("{n} id has no row", "{n} ids have no row", 1200)
    '1,200 ids have no row'
    """
    return (one if count == 1 else many).format(n=f"{count:,}", **values)
