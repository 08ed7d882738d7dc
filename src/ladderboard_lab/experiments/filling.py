"""Filling pages with verdicts: the tables between `<!-- verdicts … -->` and `<!-- /verdicts -->`.

The comment names the experiments, or the beginning of their names with a star: `<!-- verdicts neto-* -->`. Between
`<!-- table own-stand-ins -->` and `<!-- /table -->` is the table of one experiment, under the command that made it.
The command that measured a verdict fills it in, so that no number on a page was typed.
"""

import re
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from ladderboard_lab.experiments.writing import Written, format_cell

BLOCK = re.compile(r"(<!-- verdicts (?P<names>[^>]*?) -->\n)(?P<old>.*?)(<!-- /verdicts -->)", flags=re.DOTALL)
TABLE = re.compile(r"(<!-- table (?P<name>[\w-]+) -->\n)(?P<old>.*?)(<!-- /table -->)", flags=re.DOTALL)
HEAD = "| id | verdict | found | size |\n|---|---|---|---|\n"


def fill_page(path: Path, written: Sequence[Written]) -> int:
    """Write the verdicts into the page's tables; rows of other experiments stay. Returns how many were filled in."""
    records = {one.record["id"]: one.record for one in written}
    filled: set[str] = set()

    def fill(match: re.Match[str]) -> str:
        patterns = match["names"].split()
        rows = dict(re.findall(r"^(\| `([\w-]+)` \|.*)$", match["old"], flags=re.MULTILINE))
        by_id = {name: row for row, name in rows.items()}
        for name, record in records.items():
            if any(fnmatch(name, pattern) for pattern in patterns):
                by_id[name] = make_row(record)
                filled.add(name)
        body = "".join(f"{by_id[name]}\n" for name in sorted(by_id, key=_in_order))
        return f"{match[1]}{HEAD}{body}{match[4]}"

    tables = {one.record["id"]: one for one in written}

    def set_table(match: re.Match[str]) -> str:
        one = tables.get(match["name"])
        return match[0] if one is None else f"{match[1]}{make_table(one)}{match[4]}"

    path.write_text(TABLE.sub(set_table, BLOCK.sub(fill, path.read_text(encoding="utf-8"))), encoding="utf-8")
    return len(filled)


def make_table(one: Written) -> str:
    """The table of an experiment as Markdown, under the command that made it."""
    rows = [one.table.columns, ["---"] * len(one.table.columns), *(map(format_cell, row) for row in one.table.rows)]
    lines = (" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows)
    return f"    {one.record['command']}\n\n" + "".join(f"| {line} |\n" for line in lines)


def make_row(record: dict[str, Any]) -> str:
    """The row of a table: whether the checks of each kind hold, and what was found.

    >>> checks = [{"kind": "printed claim", "decision": word, "caveat": ""} for word in ("holds", "not decided")]
    >>> make_row({"id": "neto-fig4", "checks": checks, "sentence": "Median ΔMSE −.1.", "size": "quick", "seed": 0})
    '| `neto-fig4` | printed claim 1 of 2 hold, 1 not decided | Median ΔMSE −.1. | quick, seed 0 |'
    """
    kinds = list(dict.fromkeys(check["kind"] for check in record["checks"]))
    verdict = "; ".join(
        f"{kind} {_count([check for check in record['checks'] if check['kind'] == kind])}" for kind in kinds
    )
    sentence = record["sentence"].replace("|", "\\|")
    return f"| `{record['id']}` | {verdict} | {sentence} | {record['size']}, seed {record['seed']} |"


def _count(checks: Sequence[dict[str, Any]]) -> str:
    """How many hold, and what is said of the others."""
    words = [check["caveat"] or check["decision"] for check in checks if check["decision"] != "holds"]
    others = [f"{words.count(word)} {word}" for word in dict.fromkeys(words)]
    return ", ".join([f"{len(checks) - len(words)} of {len(checks)} hold", *others])


def keep_verdicts(fresh: str, old: str) -> str:
    """The fresh page with the verdicts of the old one, block by block."""
    kept = {match["names"]: match["old"] for match in BLOCK.finditer(old)}
    return BLOCK.sub(lambda match: f"{match[1]}{kept.get(match['names'], '')}{match[4]}", fresh)


def strip_verdicts(text: str) -> str:
    """The page without what was filled in."""
    return BLOCK.sub(lambda match: f"{match[1]}{match[4]}", text)


def _in_order(name: str) -> tuple[int, str]:
    from ladderboard_lab.experiments import EXPERIMENTS

    names = list(EXPERIMENTS)
    return (names.index(name) if name in names else len(names)), name
