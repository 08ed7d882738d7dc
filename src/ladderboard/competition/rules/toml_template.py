"""The competition.toml written by `ladderboard new`: every key with its meaning and default."""

import json
from dataclasses import dataclass

from ladderboard.competition.rules.toml_edit import quote
from ladderboard.competition.solution.columns import SolutionColumns
from ladderboard.competition.solution.guessing import MetricProposal
from ladderboard.scoring.code_rules import CodeRules

NO_POSITIVE = '# positive = "yes"'


@dataclass(frozen=True)
class Draft:
    """The known facts of a new competition."""

    title: str
    slug: str
    proposal: MetricProposal
    positive: str | None
    """The positive class of two, where it was said."""
    columns: SolutionColumns
    solution_file: str
    public_share: float | None
    """None: the solution says itself which rows are public."""
    split_seed: str


def competition_toml(draft: Draft) -> str:
    """Write the text of the file; commented-out keys show their defaults."""
    text = _TEMPLATE.format(
        title=quote(draft.title),
        slug=quote(draft.slug),
        metric=quote(draft.proposal.metric),
        because=draft.proposal.because,
        solution=_solution(draft),
    )
    return text if draft.positive is None else text.replace(NO_POSITIVE, f"positive = {quote(draft.positive)}", 1)


def _solution(draft: Draft) -> str:
    columns = draft.columns
    label = quote(columns.labels[0]) if len(columns.labels) == 1 else json.dumps(columns.labels, ensure_ascii=False)
    lines = [
        f"file = {quote(draft.solution_file)}",
        f"id = {quote(columns.id)}",
        f"label = {label}",
        _write_name("usage", columns.usage, "Usage", "Public, Private or Ignored; ignored rows count nowhere"),
        _write_name("group", columns.group, "patient", "rows of one group stay together and count as one"),
        _write_name("weight", columns.weight, "weight", "a positive number: how much a row counts"),
        '# predictions = ["…"]         # other names for the prediction columns of a submission',
        '# classes = ["…", "…"]        # every class, where labels look like texts or lists but are classes',
    ]
    if draft.public_share is not None:
        lines += _list_split(draft.public_share, draft.split_seed)
    return "\n".join(lines)


def _list_split(share: float, seed: str) -> list[str]:
    return [
        "# Without a Usage column the split is drawn at random: by group if there are any, alike in every class.",
        f"public_share = {share}",
        "# Secret: it reveals which rows are public.",
        f"split_seed = {quote(seed)}",
    ]


def _write_name(key: str, name: str | None, usual: str, meaning: str) -> str:
    written = f"{key} = {quote(name)}" if name is not None else f"# {key} = {quote(usual)}"
    return f"{written:<30}# {meaning}"


@dataclass(frozen=True)
class FileDraft:
    """The known facts of a new competition whose submissions are files."""

    title: str
    slug: str
    lower_is_better: bool
    answers: str
    public_share: float | None
    """None: the list of items says itself which are public."""
    split_seed: str


def file_competition_toml(draft: FileDraft) -> str:
    """Write the text of its file; commented-out keys show their defaults."""
    lines = ['file = "items.csv"', f"answers = {quote(draft.answers):<21}# what score_items gets as solution"]
    lines += [_write_name("group", None, "patient", "items of one group stay together and count as one")]
    lines += [_write_name("weight", None, "weight", "a positive number: how much an item counts")]
    if draft.public_share is not None:
        lines += _list_split(draft.public_share, draft.split_seed)
    text = _TEMPLATE.format(
        title=quote(draft.title), slug=quote(draft.slug), metric="", because="", solution="\n".join(lines)
    )
    head, _, rest = text.partition(METRIC_BEGINS)
    scorer = _FILE_METRIC.format(lower=str(draft.lower_is_better).lower())
    return head + rest.partition(METRIC_ENDS)[2].lstrip("\n") + scorer


def code_toml(rules: CodeRules) -> str:
    """Write the table of programs; commented-out keys show their defaults."""
    named = '# environment = "/srv/environments/course"' if rules.environment is None else ""
    return _CODE.format(
        environment=named or f"environment = {quote(rules.environment or '')}",
        entry=quote(rules.entry),
        inputs=quote(rules.inputs),
        sample_inputs=quote(rules.sample_inputs),
        runs=rules.runs_per_day,
        seconds=f"{rules.time_limit:g}",
        memory=rules.memory_mb,
        files=rules.files_mb,
    )


_CODE = """
[code]
# Teams submit programs: an archive with entry, run as python predict.py INPUTS OUTPUT in the sandbox.
entry = {entry}
inputs = {inputs}             # hidden
sample_inputs = {sample_inputs}  # public: the first run is on these, and its log is the team's
# A virtual environment that programs run in, by its path on the server (and on its workers); default: the server's own.
{environment}
# runs_per_day = {runs}           # how many programs a team may send in a day, those that fail on the sample too
# time_limit = {seconds}            # seconds of processor time
# memory_mb = {memory}
# files_mb = {files}              # what a program may write, a part of its memory
"""
METRIC_BEGINS, METRIC_ENDS = "# \n# docs/reference/metrics.md", NO_POSITIVE
_FILE_METRIC = """
[metric]
file = "score.py"             # with score_items(submission, solution), which yields (item, value)
lower_is_better = {lower}
# bounds = [0, 1]             # the lowest and the highest value of an item
# baseline = 0                # the score without skill; default: the worse bound
# value = "dice"              # of several named values the one that ranks; default: the first
# time_limit = 600            # seconds of processor time for one submission
# memory_mb = 4096
"""
_TEMPLATE = """\
# The rules of a Ladderboard competition. `ladderboard check` reports every problem in this file.
# Commented-out keys show their defaults.

title = {title}
slug = {slug}
# summary = ""                # one line for the list of competitions

# {because}
# docs/reference/metrics.md lists all. For options or a custom metric, write a table [metric] at the end instead:
#   [metric]
#   name = "pinball"
#   quantile = 0.9
# or
#   [metric]
#   file = "metric.py"          # with score(labels, predictions) or score(labels, predictions, sample_weight)
#   lower_is_better = true
#   takes = "numbers"           # or classes, two_classes, scores, probabilities, survival
#   bounds = [0, inf]
#   baseline = "mean"           # or median, majority, base_rate, or a number: the value without skill
#   time_limit = 60             # seconds of processor time for one submission
metric = {metric}
# Of two classes the one that scores, probabilities and F1 are about; known of 0 and 1, no and yes and the like.
# positive = "yes"

# The rule that decides which scores are shown; docs/reference/mechanisms.md lists all. For parameters, write a table
# [mechanism].
mechanism = "witness_ladder"
# board = "team"              # "rank": one instance per rank instead of one per team
# ranks = 20                  # how many, with board = "rank"

# Times without an offset are in this zone, and so are the days of the limits.
time_zone = "UTC"
# opens = 2027-01-01T09:00:00      # default: at once
# deadline = 2027-03-31T23:59:59   # default: none
# reveal = "by hand"          # the private board: "deadline", "by hand", "never", or a time
# finals = 2                  # how many submissions a team may select for the private board
# late_submissions = false    # score them after the deadline, apart from the board
# publish_submissions = false # after the reveal, so that anyone can replay every score; tell participants
# publish_solution = true     # at the reveal, so that anyone can verify it; false: the labels stay secret
# visibility = "public"       # "unlisted": for anyone with the address; "private": for members only

[limits]
per_day = 5                   # submissions per team and day, or "none"
# total = "none"              # submissions per team in total
# leakage_bits = "none"       # after this much information is released, no more scores are shown
# max_file_mb = 100

[teams]
# largest = 5                 # people in a team
# merging = true
# merge_until = 2027-03-15T00:00:00

[solution]
{solution}
"""
