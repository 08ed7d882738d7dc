"""The catalogue of the sources: every algorithm, theorem, figure, table and printed number, and what redoes it.

`docs/theory/papers.md` is written from it by `python -m docs.generate`; the verdicts on that page are filled in by the
command that measured them (`ladderboard lab reproduce … --fill docs/theory/papers.md`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ladderboard_lab.experiments import EXPERIMENTS, experiment_named

Status = Literal["reproduced", "ordering only", "implemented", "not reproduced"]


@dataclass(frozen=True)
class Item:
    """One item of a source. ``by`` are experiments, names of classes, or a page that has it."""

    number: str
    content: str
    by: tuple[str, ...]
    status: Status
    reason: str = ""

    @property
    def experiments(self) -> tuple[str, ...]:
        return tuple(name for name in self.by if name in EXPERIMENTS)


STAND_IN = "ADNI's data is not public; a simulated stand-in"

SOURCES: dict[str, tuple[str, str, tuple[Item, ...]]] = {
    "Ladder": (
        "Blum & Hardt 2015, *The Ladder: A Reliable Leaderboard for Machine Learning Competitions* (arXiv 1502.04585)",
        "ladder-*",
        (
            Item("Definition 2.1", "leaderboard error", ("ladder-thm",), "reproduced"),
            Item("Section 2.1", "one instance per team or per rank", ("Leaderboard",), "implemented"),
            Item("Algorithm 1", "the Ladder", ("Ladder",), "implemented"),
            Item("Theorem 3.1", "error of the Ladder", ("ladder-thm",), "reproduced", "the bound is loose"),
            Item("Claim 3.2", "the tree has at most 2^B nodes", ("bounds",), "implemented", "enters Theorem 3.1"),
            Item("Theorem 3.3", "lower bound √(log k/n)", ("ladder-thm",), "reproduced", "with a constant of ours"),
            Item("Algorithm 2", "the parameter-free Ladder", ("ParameterFreeLadder",), "implemented"),
            Item("Section 4.1", "significance level .15", ("SignificanceLadder",), "implemented"),
            Item("Section 5", "the boosting attack", ("Boosting",), "implemented"),
            Item("Theorem 5.1", "the attack gains Ω(√(k/n))", ("own-boosting-k",), "reproduced", "with the constant"),
            Item("Algorithm 3", "Kaggle's mechanism", ("FullDisclosure",), "implemented"),
            Item("Corollary 5.2", "Kaggle's error is Ω(√(k/n))", ("own-boosting-k", "ladder-thm"), "reproduced"),
            Item("Section 5.1", "O(log k) accepts", ("ladder-accepts",), "reproduced"),
            Item("Figure 1", "boosting against Kaggle and Ladder", ("ladder-fig1",), "reproduced"),
            Item(
                "Figure 2",
                "public scores of the top 50",
                ("ladder-fig2",),
                "reproduced",
                "from published scores; the submissions are not public",
            ),
            Item("Figure 3", "fresh splits", ("ladder-fig3",), "ordering only", "other boards; submissions not public"),
        ),
    ),
    "Slides": (
        "He 2017, slides on the Ladder (Columbia University, COMS 6998-4)",
        "slides-*",
        (
            Item(
                "Boosting attack",
                "Result, left and right panel",
                ("slides-boosting",),
                "reproduced",
                "the left panel is rounded to two decimals",
            ),
            Item("Top ten", "table of perturbations", ("slides-top10",), "reproduced", "from published scores"),
            Item("Statistical test", "p-values of ranks 2 to 10", ("slides-ttest",), "reproduced", "published values"),
            Item("Proof", "bits and the union bound", ("ladder-thm",), "reproduced", "as Theorem 3.1"),
        ),
    ),
    "Blog": (
        "*The ladder mechanism for ml competitions*, a blog post of 2025",
        "",
        (
            Item("Theorem 3.1", "upper bound and its proof", ("ladder-thm",), "reproduced"),
            Item("Theorem 3.3", "lower bound", ("ladder-thm",), "reproduced"),
            Item("Parameter-free Ladder", "the step adapts to the variance", ("ParameterFreeLadder",), "implemented"),
            Item("Boosting attack", "precise scores give the labels away", ("slides-boosting",), "reproduced"),
        ),
    ),
    "Neto": (
        "Chaibub Neto et al. 2016, *Reducing overfitting in challenge-based competitions* (arXiv 1607.00091), with its "
        "supplement",
        "neto-*",
        (
            Item("Algorithm 1", "the general Ladder", ("Ladder",), "implemented", "rounding .8763 → .9/.88/.876"),
            Item("Algorithm 2", "the parameter-free Ladder", ("ParameterFreeLadder",), "implemented"),
            Item("Algorithm 3", "the Ladder with a level α", ("SignificanceLadder",), "implemented"),
            Item("Algorithm 4", "LadderBoot", ("LadderBoot",), "implemented"),
            Item("Algorithm 5", "BayesBootLadder", ("BayesBootLadder",), "implemented"),
            Item("Algorithm 6", "BayesBootLadderBoot", ("BayesBootLadderBoot",), "implemented"),
            Item("Algorithm 7", "the step-forward attack", ("StepForward",), "implemented"),
            Item(
                "Fig 1", "released MSE of each feature", ("neto-fig1",), "reproduced", "the jump's position is random"
            ),
            Item("Fig 2", "Freedman's attack, permuted responses", ("neto-fig2",), "ordering only", STAND_IN),
            Item("Fig 3", "ten iterations, public MSE about .4", ("neto-fig3",), "reproduced"),
            Item("Fig 4", "ΔMSE by iterations, permuted", ("neto-fig4",), "ordering only", STAND_IN),
            Item("Fig 5", "traces of Ladder and LadderBoot", ("neto-fig5",), "reproduced"),
            Item("Fig 6", "ΔMSE for all α and b, permuted", ("neto-fig6",), "ordering only", STAND_IN),
            Item("Fig S1", "Freedman's attack, random splits", ("neto-s1",), "ordering only", "α = .15 best: not seen"),
            Item("Fig S2", "ΔMSE by iterations, random splits", ("neto-s2",), "ordering only", STAND_IN),
            Item("Fig S3", "ΔMSE for all α and b, random splits", ("neto-s3",), "ordering only", STAND_IN),
            Item("Fig S4", "public MSE, permuted", ("neto-s4",), "ordering only", STAND_IN),
            Item("Fig S5", "public MSE, random splits", ("neto-s5",), "ordering only", "spread grows with b: not seen"),
            Item("Fig S6", "Freedman on LadderBoot, permuted", ("neto-s6",), "ordering only", STAND_IN),
            Item("Fig S7", "Freedman on LadderBoot, splits", ("neto-s7",), "ordering only", "α = .15 best: not seen"),
            Item("Fig S8", "concordance, full disclosure", ("neto-s8",), "ordering only", STAND_IN),
            Item("Fig S9", "concordance, Bayesian ladders, permuted", ("neto-s9",), "ordering only", STAND_IN),
            Item("Fig S10", "concordance, Bayesian ladders, splits", ("neto-s10",), "ordering only", STAND_IN),
            Item(
                "Fig S11", "the number of submissions", ("neto-s11",), "reproduced", "printed limits, on the stand-in"
            ),
            Item("Fig S12", "releases of a lasso and of kNN", ("neto-s12",), "reproduced", "data of ours"),
            Item("Fig S13", "spread by quality of prediction", ("neto-s13",), "reproduced"),
            Item("Text S1", "Ladder and LadderBoot under Freedman", ("neto-s6", "neto-s7"), "ordering only", STAND_IN),
            Item("Text S2", "odds of (1 − α)/α", ("neto-text-s2",), "reproduced"),
            Item("Text S3", "four ways to spend 120 submissions", ("neto-text-s3",), "reproduced"),
            Item("Text S4", "variability of released scores", ("neto-s12", "neto-s13"), "reproduced"),
            Item("Discussion", "averaging repeated submissions", ("neto-repeats",), "reproduced"),
            Item("Discussion", "a number of replicates that falls", ("own-adaptive-replicates",), "implemented"),
            Item("Discussion", "other learners in the attack", ("own-learners",), "implemented"),
            Item(
                "Recommendation", "reject identical submissions", ("Leaderboard",), "implemented", "answered from store"
            ),
            Item("Recommendation", "plan the number of submissions", ("plan_submissions",), "implemented"),
        ),
    ),
    "Multiplicity": (
        "Møllersen & Holsbø, *What is the state of the art? Accounting for multiplicity in machine learning benchmark "
        "performance* (arXiv 2303.07272)",
        "multiplicity-*",
        (
            Item("Equations 1 and 2", "distribution of the best score", ("sota",), "implemented"),
            Item("Section 3.2", "coin flips", ("multiplicity-text",), "reproduced"),
            Item("Section 3.4", "intervals and tails", ("multiplicity-text", "multiplicity-fig1"), "reproduced"),
            Item("Section 4.1", "similarity and correlation", ("multiplicity-text",), "reproduced", ".36 is a slip"),
            Item("Table 1", "expected best scores", ("multiplicity-table1",), "reproduced"),
            Item("Figure 1", "a better classifier against 1000", ("multiplicity-fig1",), "reproduced"),
            Item("Figure 2", "cdf of the fewest failures", ("multiplicity-fig2",), "reproduced"),
            Item("Figure 3", "pmf of the fewest failures", ("multiplicity-fig3",), "reproduced"),
            Item("Figure 4", "failures of 1000 classifiers", ("multiplicity-fig4",), "reproduced"),
            Item("Figure 5", "dependent classifiers, 248 failures", ("multiplicity-fig5",), "reproduced"),
            Item("Figure 6", "public and private scores", ("multiplicity-fig6",), "ordering only", "simulated teams"),
            Item("Figure 7", "ROC curves; .9352 → .9490", ("multiplicity-fig7",), "reproduced", "binormal shapes"),
            Item("Figure 8", "scores behind the curves", ("multiplicity-fig8",), "ordering only", "binormal shapes"),
        ),
    ),
}


def page() -> str:
    """The page of the catalogue, without verdicts."""
    lines = [
        "# The papers, item by item",
        "",
        "Every algorithm, theorem, figure, table and printed number of the five sources, by its own number, with what",
        "redoes it. `neto-s7` *is* Figure S7; questions of our own begin with `own-`.",
        "",
        "    ladderboard lab reproduce neto-s7             # one item, at the paper's size",
        "    ladderboard lab reproduce neto-s7 --quick     # a fraction of it",
        "    ladderboard lab reproduce --all --quick --fill docs/theory/papers.md",
        "",
        "The last command filled in the verdicts below. A check compares with a *printed number*, with a *printed",
        "claim* (an ordering or a statement), or with what follows from the definitions (*self-consistency*). Every",
        "check has a negative control under which it fails: `ladderboard lab reproduce ID --control NAME`; the tests",
        "run them all.",
        "How to run and read them: [the guide](../guide/reproduce.md).",
    ]
    for name, (title, pattern, items) in SOURCES.items():
        lines += ["", f"## {name}", "", f"{title}.", "", "| item | content | redone by | result |", "|---|---|---|---|"]
        lines += [_row(item) for item in items]
        lines += _verdicts(pattern)
        lines += _stand_ins(items)
    lines += ["", "## Beside the five", "", "Dwork et al. 2015, *The reusable holdout*, and questions of our own."]
    lines += _verdicts("own-* thresholdout-*")
    return "\n".join(lines) + "\n"


def _row(item: Item) -> str:
    result = f"{item.status}: {item.reason}" if item.reason else item.status
    return f"| {item.number} | {item.content} | {', '.join(f'`{name}`' for name in item.by)} | {result} |"


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
