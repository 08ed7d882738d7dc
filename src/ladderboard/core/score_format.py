"""How people read the scores of a board: one spelling for each number, on pages, in sentences and in the terminal."""

import math
from dataclasses import dataclass

MOST_DECIMALS = 6
"""Of numbers whose precision nobody has fixed."""
SMALLEST_PLAIN = 1e-4
"""Numbers below this are written with an exponent where nothing fixes their decimals."""
NONE = "–"


@dataclass(frozen=True)
class ScoreFormat:
    """A fixed number of ``decimals``, or of significant ``digits``; with neither, as many decimals as a number needs.

    >>> ScoreFormat(decimals=3).write(0.53), ScoreFormat(digits=4).write(12.3), ScoreFormat().write(0.53)
    ('0.530', '12.30', '0.53')
    """

    decimals: int | None = None
    digits: int | None = None

    @classmethod
    def of_step(cls, step: float) -> "ScoreFormat":
        """The format of multiples of ``step``: in full where that is short, else one digit more than tells them apart.

        >>> [ScoreFormat.of_step(step).decimals for step in (0.02, 0.0125, 1e-5, 1 / 300, 5.0)]
        [2, 4, 5, 4, 0]
        """
        enough = max(0, math.ceil(-math.log10(step) - 1e-9))
        exact = (d for d in range(enough, enough + 3) if math.isclose(step * 10**d, round(step * 10**d), rel_tol=1e-9))
        return cls(decimals=next(exact, enough + 1))

    def round(self, value: float) -> float:
        """The number as exactly as it is written.

        >>> ScoreFormat(decimals=2).round(0.126), ScoreFormat(digits=2).round(1234.5), ScoreFormat().round(0.126)
        (0.13, 1200.0, 0.126)
        """
        if self.decimals is not None:
            return round(value, self.decimals) + 0.0
        return value if self.digits is None else float(f"{value:.{self.digits}g}")

    def write(self, value: float | None) -> str:
        """The number with a true minus sign and commas between thousands; a dash where there is none.

        >>> ScoreFormat(decimals=2).write(-1234.5), ScoreFormat(decimals=2).write(None)
        ('−1,234.50', '–')
        """
        if value is None:
            return NONE
        if self.decimals is None and 0 < abs(value) < SMALLEST_PLAIN:
            text = f"{value:.{(self.digits or 4) - 1}e}"
        else:
            text = f"{value:,.{self._find_decimals(value)}f}"
            text = text.removeprefix("-") if not text.strip("-0.,") else text  # no negative zero
        return f"−{text[1:]}" if text.startswith("-") else text

    def write_interval(self, low: float, high: float) -> str:
        """Both ends of an interval.

        >>> ScoreFormat(decimals=3).write_interval(0.8612, 0.9)
        '0.861 to 0.900'
        """
        return f"{self.write(low)} to {self.write(high)}"

    def _find_decimals(self, value: float) -> int:
        if self.decimals is not None:
            return self.decimals
        if self.digits is not None:
            return max(0, self.digits - 1 - math.floor(math.log10(abs(value)))) if value else 0
        return _count_decimals(value)


def _count_decimals(value: float) -> int:
    return len(f"{value:.{MOST_DECIMALS}f}".partition(".")[2].rstrip("0"))
