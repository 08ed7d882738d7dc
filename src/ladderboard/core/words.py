"""Sentences that are English for programs and can be said in another language to readers of pages.

A refusal is made deep below the pages, where nobody knows who reads it. `translatable` makes a string that *is* the
English
sentence, so that JSON, logs and the command line need not care, and that remembers what it was made of, so that a page
can look its message up in a catalogue (`ladderboard.web.text.say`).

Messages are written in the code, never made of what people send: that only ever fills their gaps.
"""

from collections.abc import Iterable, Mapping


class Translatable(str):
    """An English sentence, and what it was made of: ``message`` with gaps for ``values``.

    ``plural`` is the message for all counts but one; None where nothing is counted.
    """

    message: str
    plural: str | None
    number: int
    values: Mapping[str, object]

    def __str__(self) -> str:
        # Itself, and no plain copy: the words of an exception are asked for with str().
        return self


def translatable(message: str, plural: str | None = None, count: int = 1, /, **values: object) -> Translatable:
    """The sentence. With a ``plural`` the count chooses between the two, and is put in as ``{n}``.

    >>> translatable("the name {name!r} is taken", name="Ada")
    "the name 'Ada' is taken"
    >>> translatable("{n} id has no row", "{n} ids have no row", 1200)
    '1,200 ids have no row'
    """
    if plural is not None:
        values = {"n": f"{count:,}", **values}
    chosen = message if plural is None or count == 1 else plural
    made = Translatable(chosen.format(**values) if values else chosen)
    made.message, made.plural, made.number, made.values = message, plural, count, values
    return made


def join_translatable(separator: str, parts: Iterable[str]) -> Translatable:
    """Several sentences or names in a row, each of which keeps what it was made of.

    >>> join_translatable("; ", [translatable("{n} row", "{n} rows", 2), "x {y}"])
    '2 rows; x {y}'
    """
    values = {f"part{i}": part for i, part in enumerate(parts)}
    return translatable(separator.join(f"{{{name}}}" for name in values), **values)
