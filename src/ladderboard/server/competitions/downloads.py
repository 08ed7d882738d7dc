"""The files a competition offers: its data folder and a sample submission."""

from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from ladderboard.metrics.positive import describe_positive
from ladderboard.scoring.file_scorer import FileScorer
from ladderboard.scoring.frame_scorer import FrameScorer
from ladderboard.scoring.platform_program import ProgramScorer
from ladderboard.scoring.submission_file import show_start
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.tabular import SubmissionFormat, sample_submission

DATA = "data"
MOST_FILES = 1000
SHOWN_ROWS = 4


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
    file: str = "predictions.csv"
    """What a submitted file may be called."""
    accepts: str = ".csv,.tsv,.txt,.jsonl,.gz,.zip,.parquet,text/csv"
    """What a browser offers to choose from; empty: any file."""
    note: str = (
        "CSV or JSON Lines (plain, gzip or zip) or Parquet. Columns are matched by name and rows by id, in any order."
    )
    noun: str = "predictions"
    """What is submitted."""
    choose: str = "Choose a file of predictions"
    kinds: str = "CSV, gzip, zip or Parquet"
    free: str = "A file with a mistake costs nothing: you see each problem with its line."


def list_downloads(live: LiveCompetition, *, address: str = "") -> dict[str, Download]:
    """Every download by name. Nothing else is served, so no name can lead to another file.

    ``address`` is that of the competition's pages; empty: the usual one.
    """
    base = f"{address or f'/competitions/{live.slug}'}/data"
    sample = live.sample_name
    found = {sample: Download(sample, len(live.sample_submission), None, f"{base}/{sample}")}
    folder = live.competition.folder
    root = None if folder is None else (folder / DATA)
    if root is None or not root.is_dir():
        return found
    for path in sorted(root.rglob("*"))[:MOST_FILES]:
        name = path.relative_to(root).as_posix()
        if _is_offered(path, root) and name != sample:
            found[name] = Download(name, path.stat().st_size, path, f"{base}/{quote(name)}")
    return found


def describe_submission(live: LiveCompetition) -> Shape:
    """What a submission to a competition looks like."""
    programs = live.competition.programs
    if programs is not None:
        return Shape(
            programs.sentence,
            CALL.format(entry=programs.entry),
            "program.zip",
            ".zip,.tar,.gz,.tgz",
            ANSWERS,
            noun="a program",
            choose="Choose your program",
            kinds="Zip or tar",
            free="A program that fails on the public sample costs nothing: you read its log.",
        )
    return describe_answers(live)


CALL = "python {entry} INPUTS OUTPUT"
ANSWERS = "INPUTS is a folder, OUTPUT the file to write, like the sample submission. Try it on the sample inputs first."
"""What a program is called with."""


def describe_answers(live: LiveCompetition) -> Shape:
    """What a file of answers looks like, whether teams send it or their programs write it."""
    scorer = live.competition.scorer
    if isinstance(scorer, FrameScorer):
        return Shape(scorer.format.sentence, show_start(live.sample_submission, "text"))
    if isinstance(scorer, ProgramScorer):
        return Shape(
            scorer.sentence,
            show_start(scorer.show_start(SHOWN_ROWS).encode(), "text"),
            Path(scorer.shape.name).name,
            "",
            "Download the sample and replace what is in it.",
        )
    if not isinstance(scorer, FileScorer):
        return describe_format(live.competition.format)
    sample, shape = live.sample_submission, scorer.format
    suffix = "".join(PurePosixPath(shape.sample).suffixes)
    return Shape(
        shape.sentence,
        show_start(sample, shape.kind),
        f"submission{suffix}",
        "" if shape.kind in ("archive", "bytes") else suffix,
        "Download the sample and replace what is in it." if shape.naming is None else NAMED[shape.naming.split()[0]],
        noun="a file",
        choose="Choose a file",
        kinds=f"Like {shape.sample}",
        free="A file with a mistake costs nothing: you see each problem.",
    )


NAMED = {
    "top-level": "Items are the keys of the outermost object.",
    "key": "Items are found by the same key as in the sample.",
    "path": "Items are found by the names of the files.",
    "file": "Items are found by the names of the files.",
    "stem": "Items are found by the names of the files, without what follows the first dot.",
    "folder": "Items are found by the names of the folders.",
    "first": "Items are found in the first column.",
}
"""How items are found in a file, by the first word of its naming."""


TEXTS = {
    "ranking": "A prediction is a list of 1 to {most} different ids with blanks between them, the best first.",
    "mask": (
        'A prediction is a mask: pairs of a start and a length, such as "3 2 9 1" for the pixels 3, 4 and 9. Pixels '
        "count from 1, as the organisers' data number them. An empty cell is a mask without pixels."
    ),
    "text": (
        "A prediction is a text. An empty cell is an empty text. A zip with a text file for each id, called like it, "
        "is taken too."
    ),
}
"""What a prediction is, where it is a text."""


def describe_format(expected: SubmissionFormat) -> Shape:
    """The format of tables for people."""
    columns = [expected.id_column, *expected.prediction_columns]
    listed = " and ".join(columns) if len(columns) == 2 else ", ".join(columns)
    head = sample_submission(replace(expected, ids=expected.ids[:3])).decode()
    sentence = f"The columns {listed}, and one row for each of the {len(expected.ids):,} ids."
    if expected.takes == "labels":
        sentence += " Each column but the id is a label: 1 where the item has it, 0 where not."
    elif expected.is_table:
        what = "a label: a higher number where the item likelier has it" if expected.takes == "scores" else "a target"
        sentence += f" Each column but the id is {what}."
    elif expected.takes_texts:
        sentence += f" {TEXTS[expected.takes].format(most=expected.most_entries)}"
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
