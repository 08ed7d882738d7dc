"""`ladderboard drill`: attack a throw-away copy of a competition, or a test server, over HTTP."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.table import Table

    from ladderboard_lab.drill.attacks import AttackResult
    from ladderboard_lab.drill.run import DrillOptions, DrillReport


@click.command()
@click.argument("target", metavar="DIR|URL")
@click.option("--attack", "attacks", multiple=True, metavar="NAME", help="Only this one; repeatable.")
@click.option("--probe", "probes", multiple=True, metavar="NAME", help="Only this one; repeatable.")
@click.option("--budget", type=click.IntRange(1), help="Submissions of an attack.  [default: 100]")
@click.option("--database", default="", metavar="URL", help="postgresql://…: the copy gets a schema of its own there.")
@click.option("--competition", default="", metavar="SLUG", help="Of a server that has several.")
@click.option("--code", metavar="CODE", help="For signing up, where the server asks for one.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of labels and attacks.")
@click.option("--quick", is_flag=True, help="30 submissions for each attack and short measurements of time.")
@click.option("--json", "as_json", is_flag=True, help="The report as JSON.")
@click.option("--figure", type=click.Path(dir_okay=False, path_type=Path), help="Also write a chart (.svg or .png).")
@click.option("--yes-this-is-my-server", "is_mine", is_flag=True, help="Allow a URL that is not on this machine.")
def drill(
    target: str,
    *,
    attacks: tuple[str, ...],
    probes: tuple[str, ...],
    budget: int | None,
    seed: int,
    quick: bool,
    as_json: bool,
    figure: Path | None,
    **where: Any,
) -> None:
    r"""Attack a throw-away copy of the competition in DIR over HTTP, and say what leaked.

    The copy has shuffled labels and no limits; participants sign up, run every attack of the laboratory that fits, and try
    probes against files, races, the deadline, other teams and response times. A URL is a test server of your own, which
    is attacked within its limits; overfit is then measured against the published baseline. The exit code is 1 where a
    bound that the leakage meter states is broken, or a probe got through; a board that was climbed although no bound is
    broken, as one of a weak mechanism is, is reported and ends with 0.

    \b
    Example:
      ladderboard drill my-competition
      ladderboard drill my-competition --attack boosting --attack sybil --figure drill.svg
      ladderboard drill my-competition --database postgresql:///test --quick --json
      ladderboard drill http://127.0.0.1:8000 --competition whales --budget 5
    """
    from ladderboard.cli.lab.attack import check_figure
    from ladderboard_lab.drill.run import BUDGET, QUICK_BUDGET, DrillOptions

    check_figure(figure)
    chosen: dict[str, Any] = {}
    if attacks or probes:  # naming some of one kind leaves out the other kind
        chosen = {"attacks": attacks, "probes": probes}
    with _progress() as progress:
        report = _run_drill(
            target,
            DrillOptions(
                **chosen,
                budget=budget or (QUICK_BUDGET if quick else BUDGET),
                seed=seed,
                quick=quick,
                progress=progress,
            ),
            **where,
        )
    if figure is not None:
        from ladderboard_lab.drill.figure import write_figure

        write_figure(report, figure)
    if as_json:
        click.echo(json.dumps(report.to_dict(), ensure_ascii=False))
    else:
        _print(report)
    sys.exit(0 if report.holds else 1)


def _run_drill(
    target: str, options: "DrillOptions", *, database: str, competition: str, code: str | None, is_mine: bool
) -> "DrillReport":
    from ladderboard.core.errors import ParameterError
    from ladderboard_lab.drill.remote_server import drill_server
    from ladderboard_lab.drill.run import drill as drill_folder

    if target.startswith(("http://", "https://")):
        if database:
            raise ParameterError("--database is for a copy of a folder; a server at a URL has its own")
        return drill_server(target.rstrip("/"), options, competition=competition, code=code, is_mine=is_mine)
    if not Path(target).exists():
        raise ParameterError(
            f"there is no folder {target!r}; give that of a competition, or a server's address beginning with http://"
        )
    return drill_folder(Path(target), options, database=database)


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """A bar that names what is being done; nothing is drawn where standard error is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting a server", total=None)
        yield lambda what, done, total: bar.update(
            task, description=what.replace("_", " "), completed=done, total=total
        )


def _print(report: "DrillReport") -> None:
    from ladderboard.cli._shared.console import make_console

    console = make_console()
    console.print(f"{report.title}: {report.mechanism} on {report.metric}", style="bold")
    if report.attacks:
        console.print(_attack_table(report))
        console.print(f"Overfit is measured against {report.against}.")
        for line in _explanations(report):
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
    console.print(_verdict(report), style=f"bold {colour}", markup=False)


def _attack_table(report: "DrillReport") -> "Table":
    from rich.table import Table

    table = Table()
    table.add_column("attack")
    for heading in ("submissions", "accepts", "accounts", "overfit gained", "bits told", "bound stated"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict")
    if any(one.flags is not None for one in report.attacks):
        table.add_column("flags raised")
    for one in report.attacks:
        flags = () if one.flags is None else (", ".join(one.flags).replace("_", " ") or "–",)
        table.add_row(one.attack.replace("_", " "), *_amounts(one), _verdict_of(one), *flags)
    return table


def _explanations(report: "DrillReport") -> Iterator[str]:
    """What the verdicts mean, of those that are there."""
    from ladderboard_lab.drill.attacks import CLIMBED

    verdicts = {one.verdict for one in report.attacks}
    known = [one.standard_error for one in report.attacks if one.standard_error is not None]
    chance = f"{CLIMBED:g} standard errors of one score without skill" + (
        f" ({CLIMBED * max(known):.4f})" if known else ""
    )
    if "not climbed" in verdicts:
        yield f"Not climbed: no bound is stated, or it is wider than all there is to gain; the gain is below {chance}."
    if "climbed" in verdicts:
        yield f"Climbed: no stated bound is broken, but the gain is above {chance}, or labels or the split were learnt."


def _amounts(one: "AttackResult") -> tuple[str, ...]:
    def shown(value: float | None, pattern: str) -> str:
        return "–" if value is None else format(value, pattern)

    counts = (f"{one.submissions:,}", f"{one.accepts:,}", f"{one.accounts:,}")
    return (*counts, shown(one.overfit, "+.4f"), shown(one.bits, ",.0f"), shown(one.bound, ".4f"))


def _verdict_of(one: "AttackResult") -> str:
    knows = f", {100 * (one.revealed or 0):.0f} % of the secret known" if one.knows_something else ""
    colour = {"BROKEN": "bold red", "climbed": "bold yellow"}.get(one.verdict, "default")
    return f"[{colour}]{one.verdict}[/]{knows}"


def _gain(one: "AttackResult") -> str:
    return f"{100 * (one.revealed or 0):.0f} % of the secret" if one.knows_something else f"{one.overfit or 0:+.4f}"


def _verdict(report: "DrillReport") -> str:
    climbed = [f"{one.attack} ({_gain(one)})" for one in report.attacks if one.verdict == "climbed"]
    broken = [one.attack for one in report.attacks if one.breaks_bound]
    through = [one.probe for one in report.probes if not one.holds]
    if report.holds and climbed:
        return f"No stated bound is broken, but this board was climbed by {', '.join(climbed)}.".replace("_", " ")
    if report.holds:
        bounded = sum(one.verdict == "holds" for one in report.attacks)
        probes = f"{len(report.probes)} probes in vain"
        if report.attacks and not bounded:
            return f"Nothing was climbed, but nothing is promised either: no stated bound says anything here; {probes}."
        others = f", {len(report.attacks) - bounded} others not climbed" if bounded < len(report.attacks) else ""
        return f"It holds: {bounded} attacks within their bounds{others}, {probes}."
    parts = [f"bounds broken by {', '.join(broken)}"] if broken else []
    parts += [f"probes that got through: {', '.join(through)}"] if through else []
    return f"It does not hold: {'; '.join(parts)}.".replace("_", " ")
