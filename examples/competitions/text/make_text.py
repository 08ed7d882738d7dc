"""A competition of texts: dates in many notations, to be written out, and two programs that try.

    python examples/competitions/text/make_text.py dates-files
    ladderboard new dates --solution dates-files/solution.csv --label answer --label answer_2 --metric exact_match

Then `ladderboard serve dates`; participants get dates-files/data, and weak.csv and better.csv are submissions.
"""

import csv
import sys
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np

DATES = 400
NOTATIONS = ("%Y-%m-%d", "%d.%m.%y", "%m/%d/%Y", "%d %b %Y", "%j/%Y")


def main(folder: Path) -> None:
    """Write the solution, what participants get, and two submissions."""
    rng = np.random.default_rng(0)
    days = [date(1950, 1, 1) + timedelta(days=int(days)) for days in rng.integers(0, 27_000, DATES)]
    notations = rng.choice(NOTATIONS, DATES, p=[0.4, 0.2, 0.2, 0.15, 0.05])
    ids = [f"t{number:03d}" for number in rng.permutation(DATES)]
    usage = rng.choice(["Public", "Private"], DATES)
    (folder / "data").mkdir(parents=True)
    given = [day.strftime(str(notation)) for day, notation in zip(days, notations, strict=True)]
    write(folder / "data" / "questions.csv", ["id", "date"], zip(ids, given, strict=True))
    # Either order of words is right: each is a reference.
    truth = [[one, british(day), american(day), use] for one, day, use in zip(ids, days, usage, strict=True)]
    write(folder / "solution.csv", ["id", "answer", "answer_2", "Usage"], truth)
    for name, known in {"weak": NOTATIONS[:1], "better": NOTATIONS[:4]}.items():
        answers = [
            american(day) if notation in known else text
            for day, notation, text in zip(days, notations, given, strict=True)
        ]
        write(folder / f"{name}.csv", ["id", "answer"], zip(ids, answers, strict=True))


def british(day: date) -> str:
    """9 March 2024."""
    return f"{day.day} {day:%B %Y}"


def american(day: date) -> str:
    """March 9, 2024."""
    return f"{day:%B} {day.day}, {day.year}"


def write(path: Path, header: list[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
