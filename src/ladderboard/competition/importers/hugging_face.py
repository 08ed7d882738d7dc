"""Competition repositories of Hugging Face: conf.json, solution.csv with a column split, pages."""

from datetime import datetime
from pathlib import Path

from ladderboard.competition.importers.bundle import Taken, list_unknown, read_json, read_page
from ladderboard.core.errors import InputError
from ladderboard.tabular import read_table

SETTINGS, SOLUTION, SAMPLE, SPLIT = "conf.json", "solution.csv", "sample_submission.csv", "split"
PAGES = (("", "COMPETITION_DESC.md"), ("Data", "DATASET_DESC.md"), ("Submissions", "SUBMISSION_DESC.md"))
TAKEN = (
    "COMPETITION_TYPE", "SUBMISSION_LIMIT", "END_DATE", "EVAL_HIGHER_IS_BETTER", "SUBMISSION_ID_COLUMN",
    "SUBMISSION_COLUMNS", "SUBMISSION_ROWS", "EVAL_METRIC", "SUBMISSION_FILENAMES", "SELECTION_LIMIT", "TIME_LIMIT",
)  # fmt: skip
METRIC = '''"""scikit-learn's {name} of all predicted columns."""

from sklearn import metrics


def score(solution, submission, row_id_column_name):
    columns = {columns!r}
    return float(metrics.{name}(solution[columns], submission[columns]))
'''


def find_settings(root: Path) -> Path | None:
    """The repository's settings; None: it is none of this platform."""
    return root / SETTINGS if (root / SETTINGS).is_file() and (root / SOLUTION).is_file() else None


def take(root: Path, into: Path, *, now: datetime, phase: str | None, sample: Path | None) -> Taken:  # noqa: ARG001 (one call for all)
    """Write solution, sample and metric, and say what was taken; raises `InputError`."""
    settings = read_json(root / SETTINGS)
    name = str(settings.get("EVAL_METRIC", ""))
    if not name.isidentifier() or name == "custom":
        raise InputError(
            f"EVAL_METRIC is {name!r}: a function compute(params) that downloads its files; write it as "
            "score(solution, submission, row_id_column_name), and import the folder as one of Kaggle"
        )
    if settings.get("COMPETITION_TYPE") != "generic":
        raise InputError(
            f"COMPETITION_TYPE is {settings.get('COMPETITION_TYPE')!r}: only results can be submitted here"
        )
    identity = str(settings.get("SUBMISSION_ID_COLUMN") or "id")
    table = read_table(root / SOLUTION)
    columns = [one for one in table.columns if one not in (identity, SPLIT)]
    if identity not in table.columns or SPLIT not in table.columns or not columns:
        raise InputError(f"{SOLUTION} needs the columns {identity} and {SPLIT} and what is predicted")
    (into / SOLUTION).write_bytes(table.frame.rename({SPLIT: "Usage"}).write_csv().encode())
    given = sample or root / SAMPLE
    zeros = "".join(f"{one}{',0' * len(columns)}\n" for one in table.column(identity).to_list())
    content = given.read_bytes() if given.is_file() else f"{','.join([identity, *columns])}\n{zeros}".encode()
    (into / SAMPLE).write_bytes(content)
    (into / "metric.py").write_text(METRIC.format(name=name, columns=columns))
    taken = Taken("Hugging Face", root.name.replace("-", " ").capitalize())
    texts = ((title, read_page(root / file)) for title, file in PAGES)
    taken.description = "\n\n".join(f"## {title}\n\n{text}" if title else text for title, text in texts if text.strip())
    taken.metric = {"file": "metric.py", "lower_is_better": not bool(settings.get("EVAL_HIGHER_IS_BETTER", True))}
    taken.solution = {"id": identity}
    taken.take_times(None, settings.get("END_DATE"), now)
    limit = settings.get("SUBMISSION_LIMIT")
    taken.per_day = limit if isinstance(limit, int) and limit > 0 else None
    taken.left += list_unknown(settings, TAKEN)
    return taken
