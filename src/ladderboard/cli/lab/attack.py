"""`ladderboard lab attack`: one attack against one mechanism, with a chart."""

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich.console import Console

import ladderboard as lb
from ladderboard.cli._shared.chart import ChartFrame, ChartLine, draw_chart, draw_legend
from ladderboard.cli._shared.console import show_progress
from ladderboard.cli._shared.parameters import parse_parameters
from ladderboard.core.errors import ParameterError
from ladderboard.mechanisms import make_mechanism
from ladderboard_lab.attack_runs import AttackRun, attack_board, choose_problem, make_problem, name_problem
from ladderboard_lab.attack_trace import AttackTrace, draw_trace
from ladderboard_lab.foreign_code import explain_failures
from ladderboard_lab.plugins import find_attack_class, find_mechanism_class, find_problem

if TYPE_CHECKING:
    from ladderboard_lab.attacks.base import Attack
    from ladderboard_lab.problems.base import Problem

CHART_HEIGHT = 12
WIDEST_CHART = 90


@click.command()
@click.option(
    "--attack",
    "name",
    required=True,
    metavar="NAME",
    help="The attack: boosting, hill_climb, combo, …, or file.py:Class.",
)
@click.option(
    "--mechanism", default="witness_ladder", show_default=True, help="The mechanism under attack, or file.py:Class."
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A mechanism parameter; repeatable.")
@click.option(
    "--attack-set", "attack_settings", multiple=True, metavar="NAME=VALUE", help="An attack parameter; repeatable."
)
@click.option(
    "--problem", metavar="NAME", help="What to predict, or file.py:function.  [default: what suits the attack]"
)
@click.option("--n", default=1000, show_default=True, help="Number of public items.")
@click.option("--k", default=1000, show_default=True, type=click.IntRange(min=1), help="Number of submissions.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The same seed gives the same run."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result and its trace as JSON.")
@click.option("--figure", type=click.Path(dir_okay=False, path_type=Path), help="Also write a chart (.svg or .png).")
def attack(*, name: str, attack_settings: tuple[str, ...], as_json: bool, figure: Path | None, **options: Any) -> None:
    r"""Attack one mechanism and compare what the board shows with the truth.

    The labels are pure noise, so anything the board shows beyond chance is luck or leakage. Overfit is the true loss
    minus the loss shown.

    \b
    Example:
      ladderboard lab attack --attack hill_climb --mechanism parameter_free_ladder --n 4000 --k 10000
      ladderboard lab attack --attack combo --mechanism ladder --set step_size=.02 --figure combo.svg
    """
    cell = _make_cell(_find_attack(name, parse_parameters(attack_settings, option="--attack-set")), **options)
    check_figure(figure)
    result = _run(cell)
    if figure is not None:
        _write_figure(result, figure)
    if as_json:
        click.echo(json.dumps(result.to_dict(), ensure_ascii=False))
    else:
        _print(result)


def _run(cell: "_Cell") -> "_AttackResult":
    with explain_failures():
        return cell.run()


def _make_cell(attack: "Attack", *, mechanism: str, settings: tuple[str, ...], **sizes: Any) -> "_Cell":
    made = make_mechanism(find_mechanism_class(mechanism), **parse_parameters(settings))
    return _Cell(attack, made, **sizes)


@dataclass(frozen=True)
class _Cell:
    """An attack, a mechanism and their sizes."""

    attack: "Attack"
    mechanism: lb.Mechanism
    problem: str | None
    n: int
    k: int
    seed: int

    def run(self) -> "_AttackResult":
        problem_seed, run_seed = np.random.SeedSequence(self.seed).spawn(2)
        rng = np.random.default_rng(problem_seed)
        if self.problem is None:
            name, problem = choose_problem(self.attack, rng, n=self.n)
        else:
            chosen = find_problem(self.problem)
            name, problem = name_problem(chosen), make_problem(chosen, self.attack, rng, n=self.n)
        with show_progress(f"{self.attack.name} against {self.mechanism.name}") as progress:
            trace = _trace_with_progress(progress, self.k)
            run = attack_board(self.attack, self.mechanism, problem, budget=self.k, seed=run_seed, watch=trace)
        if run.status == "refused":
            raise lb.ParameterError(f"{self.mechanism.name} does not work with {name}: {run.reason}")
        return _AttackResult(self, name, problem, run, trace)


def _trace_with_progress(progress: Callable[[int, int], None], k: int) -> AttackTrace:
    """Make a trace that moves a progress bar."""

    class ProgressTrace(AttackTrace):
        def __call__(self, release: lb.Release) -> None:
            super().__call__(release)
            progress(len(self.shown), k)

    return ProgressTrace()


@dataclass(frozen=True)
class _AttackResult:
    """The result of an attack, with its trace."""

    cell: _Cell
    problem_name: str
    problem: "Problem"
    run: AttackRun
    trace: AttackTrace

    @property
    def title(self) -> str:
        cell = self.cell
        return f"{cell.attack.name} against {cell.mechanism.name}, n = {cell.n:,}, k = {cell.k:,}"

    def to_dict(self) -> dict[str, Any]:
        cell = self.cell
        return {
            "attack": cell.attack.name,
            "setting": cell.attack.setting,
            "mechanism": cell.mechanism.name,
            "parameters": cell.mechanism.parameters(),
            "problem": self.problem_name,
            "metric": self.problem.briefing.metric,
            "n": cell.n,
            "k": cell.k,
            "seed": cell.seed,
            **self.run.to_dict(),
            "course": [
                {"attempt": attempt, "shown": shown, "true": true} for attempt, shown, true in self.trace.list_changes()
            ],
        }


def _find_attack(name: str, parameters: dict[str, Any]) -> "Attack":
    made = find_attack_class(name)
    known = [field.name for field in fields(made)]
    if not set(parameters) <= set(known):
        raise lb.ParameterError(
            f"{name} takes the parameters {', '.join(known) or 'none'}; given: {', '.join(parameters)}"
        )
    return made(**parameters)


def check_figure(path: Path | None) -> None:
    """Refuse a figure that could not be written after minutes of work."""
    if path is not None and path.suffix not in (".svg", ".png"):
        raise ParameterError(f"{path.name}: the name of a figure must end in .svg or .png")
    if path is not None and not path.parent.is_dir():
        raise ParameterError(f"there is no folder {path.parent}; create it first")


def _write_figure(result: _AttackResult, path: Path) -> None:
    svg, png = draw_trace(result.trace, title=result.title, metric=result.problem.briefing.metric)
    path.write_bytes(png if path.suffix == ".png" else svg.encode())


def _print(result: _AttackResult) -> None:
    console = Console(highlight=False)
    console.print(result.title, style="bold")
    for row in _chart(result, min(console.width, WIDEST_CHART)):
        console.print(row)
    console.print(_describe(result))


def _chart(result: _AttackResult, width: int) -> list[Any]:
    trace = result.trace
    told = [(shown, true) for shown, true in zip(trace.shown, trace.true, strict=True) if shown is not None]
    if not told:
        return []
    shown, true = zip(*told, strict=True)
    low, high = min(*shown, *true), max(*shown, *true)
    margin = 0.1 * (high - low) or 0.01
    metric = result.problem.briefing.metric.replace("_", " ")
    lines = [ChartLine(f"{metric} the board shows", shown, "cyan"), ChartLine("true", true, "yellow", dotted=True)]
    frame = ChartFrame(width, CHART_HEIGHT, low=low - margin, high=high + margin, length=len(told))
    return [*draw_chart(lines, frame), draw_legend(lines)]


def _describe(result: _AttackResult) -> str:
    """Describe the result; what does not apply is left out."""
    run = result.run
    parts = [f"After {run.submissions:,} submissions ({run.accepts:,} accepted)"]
    if run.overfit is not None:
        parts.append(f"the board overstates the score by {run.overfit:.4f}")
    if run.final_overfit is not None:
        parts.append(f"the attack's final predictions look {run.final_overfit:.4f} better than they are")
    if run.revealed is not None:
        parts.append(f"the attack knows {100 * run.revealed:.0f} % of the secret (0: guessing)")
    if run.estimate_error is not None:
        parts.append(f"it knows the raw score to within {run.estimate_error:.5f}")
    parts.append(
        "information released is not counted under noise"
        if run.bits is None
        else f"at most {run.bits:,.0f} bits of information released"
    )
    spent = " The mechanism's budget is spent." if run.status == "spent" else ""
    return "; ".join(parts) + "." + spent
