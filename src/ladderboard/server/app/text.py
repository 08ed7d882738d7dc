"""How pages write dates, durations, sizes and errors."""

import math
from datetime import date, datetime, timedelta

from ladderboard.core.words import pluralise

UNITS = ("kB", "MB", "GB", "TB")


def duration(span: timedelta) -> str:
    """A span of time in its two largest units.

    >>> duration(timedelta(days=3, hours=4, minutes=59))
    '3 days 4 hours'
    """
    seconds = max(0, int(span.total_seconds()))
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3600)
    counts = {"day": days, "hour": hours, "minute": rest // 60}
    parts = [pluralise(f"{{n}} {unit}", f"{{n}} {unit}s", count) if count else "" for unit, count in counts.items()]
    first = next((i for i, part in enumerate(parts) if part), None)
    return "less than a minute" if first is None else " ".join(filter(None, parts[first : first + 2]))


def moment(at: datetime) -> str:
    """A date and time with its zone, as written without script.

    >>> from datetime import UTC
    >>> moment(datetime(2027, 3, 1, 18, 0, tzinfo=UTC))
    '1 March 2027, 18:00 UTC'
    """
    return f"{at.day} {at:%B %Y, %H:%M} {at.tzname() or ''}"


def short_moment(at: datetime) -> str:
    """A date and time in a table, which says the year and the zone elsewhere.

    >>> short_moment(datetime(2027, 3, 1, 18, 0))
    '1 Mar 18:00'
    """
    return f"{short_date(at)} {at:%H:%M}"


def short_date(at: date) -> str:
    """A day without its year.

    >>> short_date(date(2027, 3, 1))
    '1 Mar'
    """
    return f"{at.day} {at:%b}"


def size(count: int) -> str:
    """A number of bytes in the largest unit that fits.

    >>> size(512), size(34_567), size(100 << 20)
    ('512 bytes', '34 kB', '100 MB')
    """
    if count < 1024:
        return pluralise("{n} byte", "{n} bytes", count)
    power = min(int(math.log(count, 1024)), len(UNITS))
    return f"{round(count / 1024**power):,} {UNITS[power - 1]}"


def sentence(words: str) -> str:
    """An error's words as they stand on a page: with a capital letter and a full stop.

    >>> sentence("the name is taken; choose another one")
    'The name is taken; choose another one.'
    """
    text = words.strip()
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?…" else ".")
