"""Reader of competition.toml; reports all problems at once, each with its line."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any, Literal, cast, get_args

from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.model import Limits, Rules, SolutionSettings, TeamRules, Visibility
from ladderboard.competition.rules.rules_json import to_json_value
from ladderboard.competition.rules.times import find_zone
from ladderboard.competition.rules.toml_table import FILE, TableReader
from ladderboard.competition.rules.toml_text import TomlSyntaxError, TomlText
from ladderboard.core.errors import ParameterError
from ladderboard.guard.leaderboard import Instances
from ladderboard.mechanisms import DEFAULT_MECHANISM
from ladderboard.scoring.code_rules import CodeRules
from ladderboard.scoring.kinds import find_scorer_kind

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_SLUG = 64
REVEALS = ("deadline", "by hand", "never")
TABLES = ("metric", "mechanism", "limits", "teams", "solution", "code")
TOP_KEYS = (
    "title", "slug", "summary", "metric", "positive", "mechanism", "board", "ranks", "opens", "deadline", "time_zone",
    "finals", "reveal", "late_submissions", "publish_submissions", "publish_solution",
    "visibility",
)  # fmt: skip
MEBIBYTE = 1 << 20
ITEMS = "items.csv"
GUESSABLE_SEED = 16
"""A seed of fewer characters can be found by trying: whoever finds it knows the split."""


@dataclass(frozen=True)
class RulesFile:
    """The content of competition.toml with its lines."""

    rules: Rules
    solution: SolutionSettings
    toml: TomlText


def read_rules(folder: Path, findings: Findings) -> RulesFile | None:
    """Read the rules of a folder; None if the file is missing or not TOML."""
    try:
        text = (folder / FILE).read_bytes().decode("utf-8-sig")
        toml = TomlText.parse(text)
    except FileNotFoundError:
        findings.error(FILE, None, "the file is missing; `ladderboard new` writes one with every key explained")
    except UnicodeDecodeError:
        findings.error(FILE, None, "the file is not UTF-8 text; save it with that encoding")
    except OSError as problem:
        findings.error(FILE, None, f"cannot read it: {problem.strerror}")
    except TomlSyntaxError as problem:
        findings.error(FILE, problem.line, f"this is not TOML: {problem}")
    else:
        return _read(toml, folder, findings)
    return None


def _read(toml: TomlText, folder: Path, findings: Findings) -> RulesFile:
    top = TableReader(toml, findings)
    for name in TABLES:
        if name in top and not isinstance(top.values[name], dict) and name not in ("metric", "mechanism"):
            top.error(name, f"{name} must be a table: write [{name}] on a line of its own, its keys below")
    zone = _zone(top)
    metric, metric_options, positive = _metric(toml, folder, top, findings)
    mechanism, parameters = _mechanism(toml, top, findings)
    rules = Rules(
        slug=_slug(top, folder),
        title=_title(top, folder),
        summary=top.text("summary", "").strip(),
        metric=metric,
        metric_options=metric_options,
        positive=positive,
        mechanism=mechanism,
        mechanism_parameters=parameters,
        instances=cast("Instances", top.choice("board", get_args(Instances), "team")),
        ranks=top.integer("ranks", 20),
        opens=top.time("opens", zone),
        deadline=top.time("deadline", zone),
        time_zone=getattr(zone, "key", "UTC"),
        finals=top.integer("finals", 2),
        reveal=_reveal(top, zone),
        late_submissions=top.flag("late_submissions", False),
        publish_submissions=top.flag("publish_submissions", False),
        publish_solution=top.flag("publish_solution", True),
        visibility=cast("Visibility", top.choice("visibility", get_args(Visibility), "public")),
    )
    top.skip(*TABLES)
    top.refuse_unknown()
    above = set(TOP_KEYS)
    rules = replace(rules, limits=_limits(toml, findings, above), teams=_teams(toml, findings, zone, above))
    rules = replace(rules, code=_code(toml, folder, findings, above))
    _check_times(rules, top)
    _check_publishing(rules, top)
    return RulesFile(rules, _solution(toml, folder, findings, above), toml)


def _zone(top: TableReader) -> tzinfo:
    try:
        return find_zone(top.text("time_zone", "UTC"))
    except ParameterError as problem:
        top.error("time_zone", str(problem))
        return UTC


def _slug(top: TableReader, folder: Path) -> str:
    slug = top.text("slug", folder.resolve().name)
    if SLUG.fullmatch(slug) and len(slug) <= LONGEST_SLUG:
        return slug
    origin = "slug is" if "slug" in top else "the folder's name is the slug:"
    top.error(
        "slug",
        f"{origin} {slug!r}; it is part of the address: use only a-z, 0-9 and single hyphens, "
        f'at most {LONGEST_SLUG} characters, such as slug = "{make_slug(slug)}"',
    )
    return "competition"


def make_slug(name: str) -> str:
    """Make a slug from a folder's name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:LONGEST_SLUG] or "competition"


def _title(top: TableReader, folder: Path) -> str:
    title = top.text("title", "").strip()
    if not title and not isinstance(top.values.get("title", ""), str):
        return folder.name  # said already
    if not title:
        top.error("title", 'title is missing; give one: title = "Whales by their song"')
    return title or folder.name


def _name_metric(folder: Path, options: dict[str, Any]) -> str:
    """What a metric of a file or a program is called where nobody says it; empty: it must be said."""
    if "program" in options:
        return str(options.get("score", "score"))
    return str(options.get("function", _name_scorer(folder, options["file"]))) if "file" in options else ""


def _name_scorer(folder: Path, file: object) -> str:
    """What a metric is called that has no name: as its function where that says what it is, else "score"."""
    try:
        return find_scorer_kind((folder / str(file)).read_text(encoding="utf-8"), None)[1]
    except (OSError, UnicodeDecodeError, ParameterError):
        return "score"  # what is wrong with the file is said where it is loaded


def _metric(toml: TomlText, folder: Path, top: TableReader, findings: Findings) -> tuple[str, dict[str, Any], Any]:
    """Read the metric's name, its options, which `metric_choice` checks, and the positive class."""
    positive = top.plain_value("positive")
    if not isinstance(top.values.get("metric"), dict):
        name = top.text("metric", "")
        if not name and isinstance(top.values.get("metric", ""), str):
            top.error("metric", 'metric is missing; give one: metric = "auc" (docs/reference/metrics.md lists them)')
        return name, {}, positive
    top.skip("metric")
    table = TableReader(toml, findings, "metric")
    inside = table.plain_value("positive")
    if None not in (positive, inside):
        table.error("positive", "positive is given twice, above all tables and in [metric]; keep one")
    options = to_json_value(
        table.read_others("name", "positive")
    )  # bounds = [0, inf] is kept as text, since rules are kept as JSON
    default = _name_metric(folder, options)
    name = table.text("name", default)
    if not name:
        table.error("name", 'name is missing in [metric]; give a built-in metric, or file = "metric.py" for your own')
    return name, options, positive if inside is None else inside


def _mechanism(toml: TomlText, top: TableReader, findings: Findings) -> tuple[str, dict[str, Any]]:
    if not isinstance(top.values.get("mechanism"), dict):
        return top.text("mechanism", DEFAULT_MECHANISM.name) or DEFAULT_MECHANISM.name, {}
    top.skip("mechanism")
    table = TableReader(toml, findings, "mechanism")
    return table.text("name", DEFAULT_MECHANISM.name) or DEFAULT_MECHANISM.name, table.read_others("name")


def _reveal(top: TableReader, zone: tzinfo) -> datetime | Literal["deadline", "by hand", "never"]:
    given = top.values.get("reveal", "by hand")
    if isinstance(given, str) and not given[:1].isdigit():
        return cast("Literal['deadline', 'by hand', 'never']", top.choice("reveal", REVEALS, "by hand"))
    return top.time("reveal", zone) or "by hand"


def _limits(toml: TomlText, findings: Findings, above: set[str]) -> Limits:
    table = TableReader(toml, findings, "limits")
    limits = Limits(
        per_day=table.optional_integer("per_day", Limits.per_day),
        total=table.optional_integer("total", Limits.total),
        leakage_bits=table.optional_number("leakage_bits", Limits.leakage_bits, above=0),
        max_file_bytes=round((table.optional_number("max_file_mb", 100.0, above=0) or 100.0) * MEBIBYTE),
    )
    table.refuse_unknown(above)
    return limits


def _teams(toml: TomlText, findings: Findings, zone: tzinfo, above: set[str]) -> TeamRules:
    table = TableReader(toml, findings, "teams")
    teams = TeamRules(
        largest=table.integer("largest", TeamRules.largest),
        merging=table.flag("merging", TeamRules.merging),
        merge_until=table.time("merge_until", zone),
    )
    table.refuse_unknown(above)
    return teams


def _code(toml: TomlText, folder: Path, findings: Findings, above: set[str]) -> CodeRules | None:
    if "code" not in toml.values:
        return None
    table, usual = TableReader(toml, findings, "code"), CodeRules()
    named = table.optional_text("environment")
    code = CodeRules(
        entry=table.text("entry", usual.entry),
        # Workers know no folder of the competition.
        environment=None if named is None else str((folder.absolute() / named).absolute()),
        inputs=table.text("inputs", usual.inputs),
        sample_inputs=table.text("sample_inputs", usual.sample_inputs),
        runs_per_day=table.optional_integer("runs_per_day", usual.runs_per_day),
        time_limit=table.optional_number("time_limit", usual.time_limit, above=0) or usual.time_limit,
        memory_mb=table.integer("memory_mb", usual.memory_mb),
        files_mb=table.integer("files_mb", usual.files_mb),
    )
    table.refuse_unknown(above)
    if not code.entry.endswith(".py") or "/" in code.entry:
        table.error("entry", f'entry is {code.entry!r}; it must be a Python file at the top, such as "{usual.entry}"')
    if code.memory_mb < 2 * code.files_mb:
        table.error(
            "files_mb", f"files_mb ({code.files_mb}) is a part of memory_mb ({code.memory_mb}): at most half of it"
        )
    return code


def _find_usual_file(folder: Path) -> str:
    """solution.csv; items.csv where only that is there, beside a folder with the solution itself."""
    if (folder / ITEMS).is_file() and not (folder / SolutionSettings.file).is_file():
        return ITEMS
    return SolutionSettings.file


def _solution(toml: TomlText, folder: Path, findings: Findings, above: set[str]) -> SolutionSettings:
    table = TableReader(toml, findings, "solution")
    share = table.optional_number("public_share", None)
    if share is not None and not 0 < share <= 1:
        table.error("public_share", f"public_share is {share:g}; it must lie between 0 and 1, such as 0.3")
        share = None
    settings = SolutionSettings(
        file=table.text("file", _find_usual_file(folder)),
        answers=table.optional_text("answers"),
        id=table.optional_text("id"),
        labels=table.texts("label"),
        usage=table.optional_text("usage"),
        group=table.optional_text("group"),
        weight=table.optional_text("weight"),
        predictions=table.texts("predictions"),
        classes=table.texts("classes"),
        public_share=share,
        split_seed=_split_seed(table),
    )
    table.refuse_unknown(above)
    return settings


def _split_seed(table: TableReader) -> str | None:
    table.skip("split_seed")
    given = table.values.get("split_seed")
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
        table.error("split_seed", f"split_seed is {given!r}; it must be a text in quotes, or a whole number")
        return "?"
    if len(str(given)) < GUESSABLE_SEED:
        table.warn(
            "split_seed",
            f"split_seed has only {len(str(given))} characters: anybody who guesses it knows which rows are public; "
            f"use a random text of at least {GUESSABLE_SEED} (`ladderboard new` writes one)",
        )
    return str(given)


def _check_times(rules: Rules, top: TableReader) -> None:
    opens, deadline, reveal = rules.opens, rules.deadline, rules.reveal
    if opens is not None and deadline is not None and deadline <= opens:
        top.error("deadline", f"deadline ({deadline}) must come after opens ({opens})")
    if reveal == "deadline" and "deadline" not in top:
        top.error("reveal", 'reveal = "deadline" needs a deadline; give one, or use reveal = "by hand"')
    if isinstance(reveal, datetime) and deadline is not None and reveal < deadline:
        top.error("reveal", f"reveal ({reveal}) must not come before the deadline ({deadline})")
    if isinstance(reveal, datetime) and "deadline" not in top:
        top.error("reveal", "a reveal at a set time needs a deadline before it; give one")


def _check_publishing(rules: Rules, top: TableReader) -> None:
    if rules.publish_submissions and rules.code is not None:
        top.error(
            "publish_submissions",
            "what programs answer to hidden inputs is never published, so nobody could replay a score; remove "
            "publish_submissions",
        )
    if rules.publish_submissions and not rules.publish_solution:
        top.error(
            "publish_submissions",
            "publish_submissions lets anyone replay every score, which needs the solution; remove it, or "
            "publish_solution = false",
        )
    if rules.late_submissions and rules.publish_solution and rules.reveal != "never":
        top.warn(
            "late_submissions",
            "the reveal publishes the solution, so a late submission may copy the labels and measures nothing; "
            'set publish_solution = false or reveal = "never" to keep late scores meaningful',
        )
