"""Sentences that count something, and words with their article."""


def pluralise(one: str, many: str, count: int, /, **values: object) -> str:
    """Choose between two sentences by a count, which fills ``{n}``; other values fill the other gaps.

    >>> pluralise("{n} id has no row", "{n} ids have no row", 1200)
    '1,200 ids have no row'
    """
    return (one if count == 1 else many).format(n=f"{count:,}", **values)


def with_article(noun: str) -> str:
    """A noun with "a" or "an", by its first letter.

    >>> with_article("organiser"), with_article("reader")
    ('an organiser', 'a reader')
    """
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"
