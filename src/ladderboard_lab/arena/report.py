"""The tables of an arena's results: on a terminal, as CSV, Markdown and JSON."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import ladderboard as lb
from ladderboard_lab.arena.summary import MANY_ACCOUNTS, ArenaSummary, AttackRow, HonestRow
from ladderboard_lab.attacks.base import Yield

if TYPE_CHECKING:
    from rich.table import Table

SCHEMA = 1
"""Raised when a field of the JSON changes its meaning or goes away."""
REFUSED, NOTHING = "refused", "–"


def write_report(summary: ArenaSummary, folder: Path, *, command: str) -> None:
    """Write arena.csv, arena.md and arena.json into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "arena.csv").write_text(report_csv(summary), encoding="utf-8")
    (folder / "arena.md").write_text(report_markdown(summary, command=command), encoding="utf-8")
    (folder / "arena.json").write_text(report_json(summary, command=command), encoding="utf-8")


def build_table(summary: ArenaSummary) -> tuple[list[str], list[list[str]]]:
    """The one table: a heading, and a row of words for each mechanism."""
    attacks = summary.arena.plan.list_attacks()
    heading = [
        "mechanism",
        *(own[0].heading for own in attacks.values()),
        "worst",
        "honest",
        "lag",
        "bits",
    ]
    rows = [
        [
            row.mechanism,
            *(format_result(summary.strongest(row.mechanism, name), own[0].yields) for name, own in attacks.items()),
            format_number(row.worst_overfit),
            NOTHING if row.honest_ratio is None else f"{row.honest_ratio:.2f}×",
            NOTHING if row.lag is None else f"{row.lag:.1f}",
            NOTHING if row.most_bits is None else f"{row.most_bits:.0f}",
        ]
        for row in summary.mechanisms
    ]
    return heading, rows


def format_result(row: AttackRow, yields: Yield) -> str:
    """Overfit on the board, or what the attack was after: a share revealed (%), the error of an estimate (±)."""
    if row.status == "refused":
        return REFUSED
    if yields in ("labels", "membership"):
        return NOTHING if row.revealed is None else f"{100 * row.revealed:.0f}%"
    if yields == "score":
        return NOTHING if row.estimate_error is None else f"±{format_number(row.estimate_error, decimals=4)}"
    return format_number(row.overfit) + ("*" if row.status == "spent" else "")


def format_number(number: float | None, *, decimals: int = 3) -> str:
    """A number between −1 and 1 without its zero.

    >>> format_number(0.0312), format_number(-0.004), format_number(1.5), format_number(None)
    ('.031', '-.004', '1.500', '–')
    """
    if number is None:
        return NOTHING
    return (
        f"{number:.{decimals}f}".replace("-0.", "-.", 1) if number < 0 else f"{number:.{decimals}f}".removeprefix("0")
    )


def terminal_tables(summary: ArenaSummary, *, width: int = 100) -> list["Table"]:
    """The table for rich, in as many pieces as a terminal of that width needs."""
    from rich.table import Table

    heading, rows = build_table(summary)
    widths = [_column_width(index, heading, rows) for index in range(len(heading))]
    tables = []
    for columns in _pieces(widths, width):
        table = Table(caption=NOTES if columns[-1] == len(heading) - 1 else None, caption_justify="left")
        for column in columns:
            justify: Literal["left", "right"] = "left" if column == 0 else "right"
            table.add_column("\n".join(heading[column].split()), justify=justify, width=widths[column])
        for row in rows:
            table.add_row(*(row[column] for column in columns))
        tables.append(table)
    return tables


NOTES = (
    "Overfit on the board: true minus shown loss, after the attack's final vector; of several settings the strongest. "
    "% labels or split revealed (0: guessing), ± error of a score that noise should hide, * budget spent on the way. "
    "worst: of the attacks from one account on the error rate. honest: mean error on honest streams, "
    "full disclosure = 1. lag: truly better submissions the board has not taken up. bits: most told in one attack."
)


def _column_width(index: int, heading: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Room for every cell in one line and for the heading's longest word."""
    return max(len(word) for word in (*heading[index].split(), *(row[index] for row in rows)))


def _pieces(widths: Sequence[int], width: int) -> list[list[int]]:
    """As many columns at a time as fit, with the first one before them; a column takes three more than its words."""
    pieces: list[list[int]] = []
    room = 0
    for column in range(1, len(widths)):
        if not pieces or room < widths[column] + 3:
            pieces.append([0])
            room = width - widths[0] - 4
        pieces[-1].append(column)
        room -= widths[column] + 3
    return pieces


def report_csv(summary: ArenaSummary) -> str:
    """Every setting of every attack and every stream, with all their numbers; cells that do not apply are empty."""
    names = [*dict.fromkeys([field.name for row in (AttackRow, HonestRow) for field in fields(row)])]
    text = io.StringIO()
    writer = csv.DictWriter(text, ["kind", *names], restval="", lineterminator="\n")
    writer.writeheader()
    rows: Sequence[AttackRow | HonestRow] = [*summary.attacks, *summary.honest]
    for row in rows:
        kind = "attack" if isinstance(row, AttackRow) else "honest"
        writer.writerow({"kind": kind, **{name: _plain(value) for name, value in asdict(row).items()}})
    return text.getvalue()


def _plain(value: object) -> object:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value


def report_markdown(summary: ArenaSummary, *, command: str) -> str:
    """The table with its sizes, its command and how to read it."""
    plan = summary.arena.plan
    heading, rows = build_table(summary)
    lines = [
        f"n = {plan.n:,} items, k = {plan.k:,} submissions, {plan.repetitions} runs of each attack, "
        f"{plan.stream_repetitions} of each of {len(plan.streams)} honest streams of {plan.stream_length}; "
        f"√(log k/n) = {format_number(lb.bounds.lower_bound_rate(n=plan.n, k=max(plan.k, 2)))}. `{command}`",
        "",
        _markdown_row(heading),
        _markdown_row(["---", *["---:"] * (len(heading) - 1)]),
        *(_markdown_row(row) for row in rows),
        "",
        NOTES.replace("*", "\\*"),
        "",
        "Honest streams, mean error and its ratio to full disclosure's; leaderboard error: the largest distance; "
        "Kendall τ: of the final ranks of several teams with the true ones.",
        "",
        *honest_markdown(summary),
    ]
    return "\n".join(lines) + "\n"


def honest_markdown(summary: ArenaSummary) -> list[str]:
    """Honest streams: mean error and its ratio to full disclosure's, leaderboard error, agreement of the ranks."""
    streams = summary.arena.plan.streams
    lines = [
        _markdown_row(["mechanism", *streams, "leaderboard error", "Kendall τ"]),
        _markdown_row(["---", *["---:"] * (len(streams) + 2)]),
    ]
    for row in summary.mechanisms:
        by_stream = {one.stream: one for one in summary.honest if one.mechanism == row.mechanism}
        ratios = [_honest_cell(by_stream[stream]) for stream in streams]
        lines.append(
            _markdown_row(
                [row.mechanism, *ratios, format_number(row.leaderboard_error), format_number(row.kendall_tau)]
            )
        )
    return lines


def _honest_cell(row: HonestRow) -> str:
    if row.mean_error is None or row.ratio is None:
        return REFUSED
    return f"{format_number(row.mean_error, decimals=4)} ({row.ratio:.2f}×)"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def report_json(summary: ArenaSummary, *, command: str) -> str:
    """Everything for programs: plan, one object for each attack's setting, stream and mechanism."""
    plan = summary.arena.plan
    record = {
        "schema": SCHEMA,
        "command": command,
        "plan": plan.to_dict(),
        "lower_bound_rate": lb.bounds.lower_bound_rate(n=plan.n, k=max(plan.k, 2)),
        "attacks": [asdict(row) for row in summary.attacks],
        "honest": [asdict(row) for row in summary.honest],
        "mechanisms": [asdict(row) for row in summary.mechanisms],
        "not_counted_as_worst": list(MANY_ACCOUNTS),
    }
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"
