"""The files a competition offers: its data folder and a sample submission."""

from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from ladderboard.metrics.positive import describe_positive
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.tabular import SubmissionFormat, sample_submission

DATA = "data"
SAMPLE = "sample_submission.csv"
MOST_FILES = 1000


@dataclass(frozen=True)
class Download:
    """One file; where ``path`` is None, it is made on request."""

    name: str
    size: int
    path: Path | None
    href: str


@dataclass(frozen=True)
class Shape:
    """The submission format as a sentence and an example."""

    sentence: str
    example: str


def list_downloads(live: LiveCompetition) -> dict[str, Download]:
    """Every download by name. Nothing else is served, so no name can lead to another file."""
    base = f"/competitions/{live.slug}/data"
    found = {SAMPLE: Download(SAMPLE, len(live.sample_submission), None, f"{base}/{SAMPLE}")}
    folder = live.competition.folder
    root = None if folder is None else (folder / DATA)
    if root is None or not root.is_dir():
        return found
    for path in sorted(root.rglob("*"))[:MOST_FILES]:
        name = path.relative_to(root).as_posix()
        if _is_offered(path, root) and name != SAMPLE:
            found[name] = Download(name, path.stat().st_size, path, f"{base}/{quote(name)}")
    return found


def describe_format(expected: SubmissionFormat) -> Shape:
    """The submission format for people."""
    columns = [expected.id_column, *expected.prediction_columns]
    listed = " and ".join(columns) if len(columns) == 2 else ", ".join(columns)
    head = sample_submission(replace(expected, ids=expected.ids[:3])).decode()
    sentence = f"The columns {listed}, and one row for each of the {len(expected.ids):,} ids."
    if expected.takes == "labels":
        sentence += " Each column but the id is a label: 1 where the item has it, 0 where not."
    elif expected.is_table:
        what = "a label: a higher number where the item likelier has it" if expected.takes == "scores" else "a target"
        sentence += f" Each column but the id is {what}."
    elif expected.takes_classes and expected.shows_classes:
        shown = ", ".join(str(one) for one in expected.classes[:6]) + (", …" if len(expected.classes) > 6 else "")
        sentence += f" Predictions are classes: {shown}."
    elif expected.takes_classes:
        sentence += " Predictions are classes, written as in the data."
    if expected.takes == "probabilities":
        sentence += " Predictions are probabilities."
    if expected.positive is not None:
        sentence += f" {describe_positive(expected.takes, expected.positive)}"
    return Shape(sentence, head + "…")


def _is_offered(path: Path, root: Path) -> bool:
    """Whether a file lies in the folder itself: not hidden, and not a link that leads out of it."""
    if not path.is_file() or any(part.startswith(".") for part in path.relative_to(root).parts):
        return False
    return path.resolve().is_relative_to(root.resolve())
