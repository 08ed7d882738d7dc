"""Text for pages in the reader's language: messages, plurals, dates, durations, sizes and scores.

English is written in the code and the templates. A translation is a catalogue
``locale/<language>/LC_MESSAGES/ladderboard.mo`` beside this file; where there is none, the English words stand.
`docs/guide/translate.md` says how to make one. Dates and sizes come from Babel, in every language it knows.
"""

import gettext
import math
from collections.abc import Iterable
from contextvars import ContextVar
from datetime import date, datetime, timedelta
from functools import lru_cache
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_skeleton, format_time
from babel.units import format_unit

from ladderboard.core.words import Translatable
from ladderboard.web.catalogues import Catalogue

LOCALE = Path(__file__).parent / "locale"
DOMAIN = "ladderboard"
ENGLISH = "en"
UNITS = ("kilobyte", "megabyte", "gigabyte", "terabyte")

Translations = gettext.NullTranslations


@lru_cache(maxsize=64)
def translations(language: str) -> Translations:
    """The catalogue of a language, or one that leaves everything in English."""
    return gettext.translation(DOMAIN, LOCALE, [language], class_=Catalogue, fallback=True)


@lru_cache(maxsize=1)
def languages() -> tuple[str, ...]:
    """The languages there are catalogues for, English first."""
    found = sorted(path.parent.parent.name for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))
    return (ENGLISH, *(language for language in found if language != ENGLISH))


def language_for(accepted: str, *, available: Iterable[str] | None = None) -> str:
    """The first language of an Accept-Language header that we have, by the name of its catalogue.

    >>> language_for("fr-CH, de;q=0.9, en;q=0.8", available=("en", "de"))
    'de'
    >>> language_for("pt-br, pt;q=0.9", available=("en", "pt", "pt_BR"))
    'pt_BR'
    """
    have = {format_tag(name).lower(): name for name in (languages() if available is None else available)}
    for wish in accepted.split(","):
        name = wish.split(";")[0].strip().lower()
        for candidate in (name, name.split("-")[0]):
            if candidate in have:
                return have[candidate]
    return ENGLISH


def format_tag(language: str) -> str:
    """A language as browsers write it.

    >>> format_tag("pt_BR")
    'pt-BR'
    """
    return language.replace("_", "-")


@lru_cache(maxsize=64)
def find_locale(language: str) -> Locale:
    """Babel's conventions for a language: those of Britain for English, and for a language it does not know.

    >>> find_locale("pt_BR"), find_locale("en"), find_locale("xx")
    (Locale('pt', territory='BR'), Locale('en', territory='GB'), Locale('en', territory='GB'))
    """
    try:
        return Locale.parse("en_GB" if language == ENGLISH else language)
    except (UnknownLocaleError, ValueError):
        return Locale.parse("en_GB")


_reading: ContextVar[str] = ContextVar("language", default=ENGLISH)


def speak(language: str) -> None:
    """Set the language for the rest of this request."""
    _reading.set(language)


def current_language() -> str:
    """The language of the current request; caches use it as a key."""
    return _reading.get()


def _(message: str) -> str:
    """The message in the reader's language. Numbers are put in afterwards: ``_("{n} teams").format(n=3)``."""
    return translations(_reading.get()).gettext(message)


def say(words: str, *, catalogue: Translations | None = None) -> str:
    """Translate a translatable sentence for the reader; other strings stay as they are.

    >>> from ladderboard.core.words import translatable
    >>> say(translatable("the name {name!r} is taken", name="Ada"))
    "the name 'Ada' is taken"
    """
    if not isinstance(words, Translatable):
        return words
    known = translations(_reading.get()) if catalogue is None else catalogue
    if words.plural is None:
        message = known.gettext(words.message)
    else:
        message = known.ngettext(words.message, words.plural, words.number)
    values = {
        name: say(value, catalogue=known) if isinstance(value, str) else value for name, value in words.values.items()
    }
    return message.format(**values) if values else message


def pluralise(one: str, many: str, count: int) -> str:
    """Choose between two messages by a count, in the reader's language, and fill in the count.

    >>> pluralise("{n} attempt", "{n} attempts", 2)
    '2 attempts'
    """
    return translations(_reading.get()).ngettext(one, many, count).format(n=f"{count:,}")


def duration(span: timedelta, *, words: Translations) -> str:
    """A span of time in its two largest units.

    >>> duration(timedelta(days=3, hours=4, minutes=59), words=translations("en"))
    '3 days 4 hours'
    """
    seconds = max(0, int(span.total_seconds()))
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3600)
    minutes = rest // 60
    parts = [
        (days, words.ngettext("{n} day", "{n} days", days)),
        (hours, words.ngettext("{n} hour", "{n} hours", hours)),
        (minutes, words.ngettext("{n} minute", "{n} minutes", minutes)),
    ]
    first = next((i for i, (count, _) in enumerate(parts) if count), None)
    if first is None:
        return words.gettext("less than a minute")
    return " ".join(text.format(n=count) for count, text in parts[first : first + 2] if count)


def moment(at: datetime) -> str:
    """A date and time with its zone, as written without script.

    >>> from datetime import UTC
    >>> moment(datetime(2027, 3, 1, 18, 0, tzinfo=UTC))
    '1 March 2027, 18:00 UTC'
    """
    locale = find_locale(current_language())
    day, clock = format_date(at, "long", locale), format_time(at, "short", tzinfo=at.tzinfo, locale=locale)
    return f"{day}, {clock} {at.tzname() or ''}"


def short_moment(at: datetime) -> str:
    """A date and time in a table, which says the year and the zone elsewhere.

    >>> short_moment(datetime(2027, 3, 1, 18, 0))
    '1 Mar 18:00'
    """
    return f"{short_date(at)} {format_time(at, 'short', tzinfo=at.tzinfo, locale=find_locale(current_language()))}"


def short_date(at: date) -> str:
    """A day without its year.

    >>> short_date(date(2027, 3, 1))
    '1 Mar'
    """
    moment_of_day = datetime(at.year, at.month, at.day)  # a skeleton is for times, and would move them to UTC
    return format_skeleton("MMMd", moment_of_day, locale=find_locale(current_language()))


def size(count: int) -> str:
    """A number of bytes in the largest unit that fits.

    >>> size(512), size(34_567), size(100 << 20)
    ('512 bytes', '34 kB', '100 MB')
    """
    locale = find_locale(current_language())
    if count < 1024:
        return format_unit(count, "byte", locale=locale)
    power = min(int(math.log(count, 1024)), len(UNITS))
    return format_unit(round(count / 1024**power), UNITS[power - 1], length="short", locale=locale)


def decimals_for(values: Iterable[float], *, most: int = 6) -> int:
    """How many decimals show all of these numbers as they were released, so that a column lines up.

    >>> decimals_for([0.5, 0.793, 0.81])
    3
    """
    return max((_decimals(value, most) for value in values), default=0)


def score(value: float | None, decimals: int | None = None) -> str:
    """A released number; a dash where there is none yet.

    >>> score(0.5, 3), score(0.793), score(None)
    ('0.500', '0.793', '–')
    """
    if value is None:
        return "–"
    text = f"{value:,.{_decimals(value, 6) if decimals is None else decimals}f}"
    return text.replace("-", "−")


def _decimals(value: float, most: int) -> int:
    _, _, tail = f"{value:.{most}f}".partition(".")
    return len(tail.rstrip("0"))


def sentence(words: str) -> str:
    """An error's words as they stand on a page: in the reader's language, with a capital letter and a full stop.

    >>> sentence("the name is taken; choose another one")
    'The name is taken; choose another one.'
    """
    text = say(words).strip()
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?…" else ".")
