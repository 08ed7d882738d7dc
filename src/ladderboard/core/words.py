"""Translatable sentences: English strings that remember their message and values.

Errors are raised far from the web pages, where the reader's language is unknown. `translatable` returns the English
sentence itself, which JSON, logs and the command line use as it is. It also keeps the message and its values, so that a
page can look the message up in a catalogue (`ladderboard.web.text.say`).

Messages are constants of the code; what people send only fills their gaps.
"""

from collections.abc import Iterable, Mapping


class Translatable(str):
    """An English sentence with the message and the values it was made of.

    ``plural`` is the message for all counts but one; None where nothing is counted.
    """

    message: str
    plural: str | None
    number: int
    values: Mapping[str, object]

    def __str__(self) -> str:
        # Itself, not a plain copy: the message of an exception is read with str().
        return self


def translatable(message: str, plural: str | None = None, count: int = 1, /, **values: object) -> Translatable:
    """Make a sentence. With a ``plural``, the count chooses between the two forms and fills ``{n}``.

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
    """Join sentences or names, each of which stays translatable.

    >>> join_translatable("; ", [translatable("{n} row", "{n} rows", 2), "x {y}"])
    '2 rows; x {y}'
    """
    values = {f"part{i}": part for i, part in enumerate(parts)}
    return translatable(separator.join(f"{{{name}}}" for name in values), **values)
