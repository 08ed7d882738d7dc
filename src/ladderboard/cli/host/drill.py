"""`ladderboard drill`: attack a throw-away copy of a competition, or a test server, over HTTP."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from ladderboard.cli._shared.console import count_noun, make_console
from ladderboard.cli._shared.signals import clean_up_on_sigterm
from ladderboard.cli.lab.attack import check_figure
from ladderboard.core.errors import ParameterError
from ladderboard_lab.drill.attacks import CLIMBED, AttackResult
from ladderboard_lab.drill.figure import write_figure
from ladderboard_lab.drill.remote_server import drill_server
from ladderboard_lab.drill.run import BUDGET, QUICK_BUDGET, DrillOptions, DrillReport
from ladderboard_lab.drill.run import Progress as DrillProgress
from ladderboard_lab.drill.run import drill as drill_folder


@click.command()
@click.argument("target", metavar="DIR|URL")
@click.option("--attack", "attacks", multiple=True, metavar="NAME", help="Run only this one; repeatable.")
@click.option("--probe", "probes", multiple=True, metavar="NAME", help="Run only this one; repeatable.")
@click.option("--budget", type=click.IntRange(1), help="Submissions per attack.  [default: 100]")
@click.option("--database", default="", metavar="URL", help="postgresql://…: use a temporary schema in this database.")
@click.option("--competition", default="", metavar="SLUG", help="Which competition, if the server has several.")
@click.option("--code", metavar="CODE", help="A sign-up code, if the server requires one.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Seed of labels and attacks.")
@click.option("--quick", is_flag=True, help="30 submissions per attack, and short timing measurements.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--figure", type=click.Path(dir_okay=False, path_type=Path), help="Also write a chart (.svg or .png).")
@click.option("--yes-this-is-my-server", "is_mine", is_flag=True, help="Allow a URL that is not on this machine.")
def drill(target: str, *, as_json: bool, figure: Path | None, **options: Any) -> None:
    r"""Attack a throw-away copy of the competition in DIR over HTTP and report what leaked.

    The copy has shuffled labels and no limits. New participants sign up, run every attack of the laboratory that fits,
    and probe files, races, the deadline, other teams and response times. A URL must be a test server of your own: it is
    attacked within its limits, and overfit is measured against the published baseline.

    Exit code: 1 if an attack broke a bound stated by the leakage meter or a probe got through, else 0. A board that was
    climbed without breaking a bound, as happens with a weak mechanism, is reported and exits with 0.

    \b
    Example:
      ladderboard drill my-competition
      ladderboard drill my-competition --attack boosting --attack sybil --figure drill.svg
      ladderboard drill my-competition --database postgresql:///test --quick --json
      ladderboard drill http://127.0.0.1:8000 --competition whales --budget 5
    """
    check_figure(figure)
    clean_up_on_sigterm()
    with _show_progress() as progress:
        report = _drill(target, _read_options(options, progress), **options)
    if figure is not None:
        write_figure(report, figure)
    if as_json:
        click.echo(json.dumps(report.to_dict(), ensure_ascii=False))
    else:
        _print(report)
    sys.exit(0 if report.holds else 1)


def _read_options(options: dict[str, Any], progress: DrillProgress) -> DrillOptions:
    """Take out of ``options`` what to do; where to do it stays."""
    attacks, probes, budget, seed, quick = (
        options.pop(name) for name in ("attacks", "probes", "budget", "seed", "quick")
    )
    # Naming some of one kind leaves out the other kind.
    chosen = {"attacks": attacks, "probes": probes} if attacks or probes else {}
    size = budget or (QUICK_BUDGET if quick else BUDGET)
    return DrillOptions(**chosen, budget=size, seed=seed, quick=quick, progress=progress)


def _drill(
    target: str, options: DrillOptions, *, database: str, competition: str, code: str | None, is_mine: bool
) -> DrillReport:
    if target.startswith(("http://", "https://")):
        if database:
            raise ParameterError("--database works only with a folder; a server at a URL has its own database")
        return drill_server(target.rstrip("/"), options, competition=competition, code=code, is_mine=is_mine)
    if not Path(target).exists():
        raise ParameterError(
            f"there is no folder {target!r}; give a competition folder, or a server's address beginning with http://"
        )
    return drill_folder(Path(target), options, database=database)


@contextmanager
def _show_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar that names the current step, unless standard error is not a terminal."""
    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("Starting a server", total=None)
        yield lambda what, done, total: bar.update(
            task, description=what.replace("_", " "), completed=done, total=total
        )


def _print(report: DrillReport) -> None:
    console = make_console()
    console.print(f"{report.title}: {report.mechanism} on {report.metric}", style="bold")
    if report.attacks:
        console.print(_make_table(report))
        console.print(f"Overfit is measured against {report.against}.")
        for line in _explain_verdicts(report):
            console.print(line, markup=False)
        for one in report.attacks:
            if one.ended:
                console.print(f"{one.attack} ended early: {one.ended}", markup=False)
    for probe in report.probes:
        mark = "[green]✓[/]" if probe.holds else "[bold red]✗[/]"
        console.print(f"{mark} {probe.probe.replace('_', ' ')}: ", end="")
        console.print(probe.words, markup=False)
    is_promised = not report.attacks or any(one.verdict == "holds" for one in report.attacks)
    is_climbed = any(one.climbs for one in report.attacks)
    colour = "red" if not report.holds else "yellow" if is_climbed or not is_promised else "green"
    console.print(_summarise(report), style=f"bold {colour}", markup=False)


def _make_table(report: DrillReport) -> Table:
    table = Table()
    table.add_column("attack")
    for heading in ("submissions", "accepts", "accounts", "overfit gained", "bits released", "stated bound"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict")
    if any(one.flags is not None for one in report.attacks):
        table.add_column("flags raised")
    for one in report.attacks:
        flags = () if one.flags is None else (", ".join(one.flags).replace("_", " ") or "–",)
        table.add_row(one.attack.replace("_", " "), *_format_amounts(one), _format_verdict(one), *flags)
    return table


def _explain_verdicts(report: DrillReport) -> Iterator[str]:
    """Explain the verdicts that occur."""
    verdicts = {one.verdict for one in report.attacks}
    known = [one.standard_error for one in report.attacks if one.standard_error is not None]
    chance = f"{CLIMBED:g} standard errors of a score without skill" + (
        f" ({CLIMBED * max(known):.4f})" if known else ""
    )
    if "not climbed" in verdicts:
        yield f"Not climbed: no bound is stated or it exceeds the largest possible gain; the gain is below {chance}."
    if "climbed" in verdicts:
        yield f"Climbed: no stated bound is broken, but the gain is above {chance}, or labels or the split leaked."


def _format_amounts(one: AttackResult) -> tuple[str, ...]:
    def shown(value: float | None, pattern: str) -> str:
        return "–" if value is None else format(value, pattern)

    counts = (f"{one.submissions:,}", f"{one.accepts:,}", f"{one.accounts:,}")
    return (*counts, shown(one.overfit, "+.4f"), shown(one.bits, ",.0f"), shown(one.bound, ".4f"))


def _format_verdict(one: AttackResult) -> str:
    knows = f", {100 * (one.revealed or 0):.0f} % of the secret known" if one.knows_something else ""
    colour = {"BROKEN": "bold red", "climbed": "bold yellow"}.get(one.verdict, "default")
    return f"[{colour}]{one.verdict}[/]{knows}"


def _format_gain(one: AttackResult) -> str:
    return f"{100 * (one.revealed or 0):.0f} % of the secret" if one.knows_something else f"{one.overfit or 0:+.4f}"


def _summarise(report: DrillReport) -> str:
    climbed = [f"{one.attack} ({_format_gain(one)})" for one in report.attacks if one.verdict == "climbed"]
    broken = [one.attack for one in report.attacks if one.breaks_bound]
    through = [one.probe for one in report.probes if not one.holds]
    if report.holds and climbed:
        return f"No stated bound is broken, but this board was climbed by {', '.join(climbed)}.".replace("_", " ")
    if report.holds:
        bounded = sum(one.verdict == "holds" for one in report.attacks)
        probes = f"{count_noun(len(report.probes), 'probe')} failed to get through"
        if report.attacks and not bounded:
            return f"No attack climbed the board, but no bound is tight enough to promise anything; {probes}."
        left = len(report.attacks) - bounded
        others = f", {count_noun(left, 'other')} not climbed" if left else ""
        return f"It holds: {count_noun(bounded, 'attack')} within bounds{others}, {probes}."
    parts = [f"bounds broken by {', '.join(broken)}"] if broken else []
    parts += [f"probes that got through: {', '.join(through)}"] if through else []
    return f"It does not hold: {'; '.join(parts)}.".replace("_", " ")
