"""The page of the sources: `docs/theory/papers.md`, written from `sources` by `python -m docs.generate`.

The verdicts on it are filled in by the command that measured them (`ladderboard lab reproduce … --fill
docs/theory/papers.md`).
"""

from collections.abc import Sequence

from ladderboard_lab.experiments import experiment_named
from ladderboard_lab.experiments.sources import DEPARTURES, SOURCES, Item


def page() -> str:
    """The page of the catalogue, without verdicts."""
    lines = [
        "# The papers, item by item",
        "",
        "Every algorithm, theorem, figure, table, printed number and recommendation of the five sources, by its own",
        "number, with what redoes it. `neto-s7` *is* Figure S7; questions of our own begin with `own-`.",
        "",
        "*Reproduced*: the printed numbers or the statement were found. *Ordering only*: what is larger or smaller was",
        "found, on other data or not in every case. *Implemented*: it is part of the package, and tested there.",
        "",
        "    ladderboard lab reproduce neto-s7             # one item, at the paper's size",
        "    ladderboard lab reproduce neto-s7 --quick     # a fraction of it",
        "    ladderboard lab reproduce --all --quick --fill docs/theory/papers.md",
        "",
        "The last command filled in the verdicts below. A check compares with a *printed number*, with a *printed",
        "claim* (an ordering or a statement), or with what follows from the definitions (*self-consistency*). Where",
        "chance has a part, an exact test over repetitions decides, each on data of its own: a claim holds, does not",
        "hold, or is *not decided* by so many repetitions, and a verdict is wrong with a probability of 1e-4 at most.",
        "A check with a reason beside it (*a small difference, which needs full size*; *not reproduced on our",
        "stand-in*) is told and does not count. The number of repetitions is planned by the counts of seed 0, so",
        "that another seed decides a check that counts alike with a probability above .9.",
        "Every check has a negative control under which it fails: `ladderboard lab reproduce ID --control NAME`.",
        "How to run and read them: [the guide](../guide/reproduce.md).",
    ]
    for name, (title, pattern, items) in SOURCES.items():
        lines += ["", f"## {name}", "", f"{title}.", "", "| item | content | redone by | result |", "|---|---|---|---|"]
        lines += [_row(item) for item in items]
        lines += _verdicts(pattern)
        lines += _stand_ins(items)
        lines += _departures(name)
    lines += ["", "## Beside the five", "", "Dwork et al. 2015, *The reusable holdout*, and questions of our own."]
    lines += _verdicts("own-* thresholdout-*")
    return "\n".join(lines) + "\n"


def _row(item: Item) -> str:
    result = f"{item.status}: {item.reason}" if item.reason else item.status
    return f"| {item.number} | {item.content} | {', '.join(f'`{name}`' for name in item.by) or '–'} | {result} |"


def _verdicts(pattern: str) -> list[str]:
    return ["", f"<!-- verdicts {pattern} -->", "<!-- /verdicts -->"] if pattern else []


def _stand_ins(items: Sequence[Item]) -> list[str]:
    """What stands in for data that cannot be had, once for each experiment that needs it."""
    found = {name: experiment_named(name).stand_in for item in items for name in item.experiments}
    by_words: dict[str, list[str]] = {}
    for name, words in found.items():
        if words:
            by_words.setdefault(words, []).append(f"`{name}`")
    listed = [f"- {', '.join(dict.fromkeys(names))}: {words}." for words, names in by_words.items()]
    return ["", "Data:", "", *listed] if listed else []


def _departures(source: str) -> list[str]:
    """What a source does not print and what is done otherwise here."""
    listed = [f"- {words}." for words in DEPARTURES.get(source, ())]
    return ["", "Not printed, or done otherwise:", "", *listed] if listed else []
