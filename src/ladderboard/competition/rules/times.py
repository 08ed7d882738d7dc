"""Times in competition.toml: TOML datetimes or ISO text; without an offset, in the competition's zone."""

import functools
from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from ladderboard.core.errors import ParameterError


@functools.lru_cache(maxsize=64)
def find_zone(name: str) -> tzinfo:
    """Find a time zone by its name; UTC needs no database."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ParameterError(_describe_unknown_zone(name)) from None


def attach_zone(given: object, zone: tzinfo) -> datetime:
    """Make a time aware of its zone.

    >>> attach_zone("2027-03-01T18:00:00", UTC).isoformat()
    '2027-03-01T18:00:00+00:00'
    """
    moment = given
    if isinstance(given, str):
        try:
            moment = datetime.fromisoformat(given.strip())
        except ValueError:
            raise ParameterError(f"{given!r} is not a time like 2027-03-01T18:00:00") from None
    if isinstance(moment, date) and not isinstance(moment, datetime):
        raise ParameterError(f"{moment} is a day; give the time of day too, such as {moment}T23:59:59")
    if not isinstance(moment, datetime):
        raise ParameterError(f"{given!r} is not a time like 2027-03-01T18:00:00")
    if moment.tzinfo is not None:
        return moment
    local = moment.replace(tzinfo=zone)
    # A wall-clock time that the clocks jump over in spring does not survive the way to UTC and back.
    if local.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != moment:
        raise ParameterError(f"{moment} does not exist in this time zone: the clocks skip it when they go forward")
    later = local.replace(fold=1)
    if local.utcoffset() != later.utcoffset():
        raise ParameterError(
            f"{moment} occurs twice in this time zone, because the clocks go back; choose one: "
            f"{local.isoformat()} or {later.isoformat()}"
        )
    return local


def _describe_unknown_zone(name: str) -> str:
    from difflib import get_close_matches

    known = sorted(available_timezones())
    if not known:
        return f"time_zone is {name!r}, and this system knows no time zones; install them: pip install tzdata"
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "give a name such as Europe/Berlin"
    return f"there is no time zone {name!r}; {hint}"
