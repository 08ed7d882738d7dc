"""The drill: every attack that fits, every probe, one report."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import ladderboard as lb
from ladderboard.competition import Competition, load_competition
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.drill.attacks import AttackResult, run_attack
from ladderboard_lab.drill.http_participants import EntryRequirements, claim_training_score, sign_up
from ladderboard_lab.drill.organiser import sign_in_organiser
from ladderboard_lab.drill.probe_context import LocalProbeContext, ProbeContext, ProbeResult
from ladderboard_lab.drill.probes import PROBES
from ladderboard_lab.drill.servers import make_database, run_server
from ladderboard_lab.drill.targets import DRILLED, DrillTarget, KnownTarget, find_attacks
from ladderboard_lab.drill.throwaway import Copy, copy_competition, make_drill_problem, shuffle_labels
from ladderboard_lab.participant import Briefing

Progress = Callable[[str, int, int], None]
"""Called with what is being done now, how much is done and how much there is."""

BUDGET, QUICK_BUDGET = 100, 30
KNOWN_SHARE = 0.5


@dataclass(frozen=True)
class DrillReport:
    """The report of a drill."""

    title: str
    metric: str
    mechanism: str
    against: str
    """What overfit is measured against, in words."""
    attacks: tuple[AttackResult, ...]
    probes: tuple[ProbeResult, ...]

    @property
    def holds(self) -> bool:
        """Whether no stated bound was broken and nothing leaked."""
        return not any(one.breaks_bound for one in self.attacks) and all(one.holds for one in self.probes)

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "metric": self.metric,
            "mechanism": self.mechanism,
            "against": self.against,
            "holds": self.holds,
            "attacks": [one.to_dict() for one in self.attacks],
            "probes": [one.to_dict() for one in self.probes],
        }


@dataclass(frozen=True)
class DrillOptions:
    """The options of a drill. None: all attacks or probes; an empty tuple: none."""

    attacks: Sequence[str] | None = None
    probes: Sequence[str] | None = None
    budget: int = BUDGET
    seed: int = 0
    quick: bool = False
    progress: Progress | None = None

    def choose(self, attacks: Sequence[str], probes: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Choose attacks and probes among those that fit; raises `ParameterError` for others."""
        return _choose(self.attacks, attacks, "attack"), _choose(self.probes, probes, "probe")


def drill(folder: Path, options: DrillOptions | None = None, *, database: str = "") -> DrillReport:
    """Serve a throw-away copy of the competition in ``folder`` and attack it.

    ``database``: a PostgreSQL database in which the copy gets a schema of its own; by default it is a SQLite file. Both
    are thrown away.
    """
    options = options or DrillOptions()
    original, rng = load_competition(folder), np.random.default_rng(options.seed)
    with tempfile.TemporaryDirectory(prefix="ladderboard-drill-") as name:
        copy = copy_competition(original, Path(name) / "copy", shuffle_labels(original, rng=rng))
        competition = load_competition(copy.folder)
        problems = {
            share: make_drill_problem(competition, copy, rng=rng, known_share=share) for share in (0.0, KNOWN_SHARE)
        }
        targets = {share: KnownTarget(problem, competition) for share, problem in problems.items()}
        fitting = {share: find_attacks(target) for share, target in targets.items()}
        # Names are looked at before anything is started.
        names, probes = options.choose([name for name in DRILLED if name in fitting[_known_share(name)]], tuple(PROBES))
        chosen = {name: targets[_known_share(name)] for name in names}
        where: dict[str, Any] = {"rng": rng, "quick": options.quick, "database": database}
        with _open_context(competition, copy, problems[0.0].briefing, **where) as context:
            attack_results, probe_results = run_all(context, chosen, {name: PROBES[name] for name in probes}, options)
            attack_results = _add_flags(context, attack_results)
    return DrillReport(
        title=original.rules.title,
        metric=original.metric.name,
        mechanism=original.mechanism.name,
        against=f"the true score of each submission on {len(original.public):,} public rows with shuffled labels",
        attacks=attack_results,
        probes=probe_results,
    )


def run_all(
    context: ProbeContext,
    targets: Mapping[str, DrillTarget],
    probes: Mapping[str, Callable[[Any], ProbeResult]],
    options: DrillOptions,
) -> tuple[tuple[AttackResult, ...], tuple[ProbeResult, ...]]:
    """Run every attack on its target, then every probe, each with its own accounts."""
    import httpx

    total, report = len(targets) + len(probes), options.progress or _ignore_progress
    attack_results: list[AttackResult] = []
    probe_results: list[ProbeResult] = []
    try:
        for name, target in targets.items():
            report(name, len(attack_results), total)
            attack = find_attacks(target)[name]
            attack_results.append(_run_attack(name, attack, context, target, budget=options.budget))
        for name, probe in probes.items():
            report(name, len(attack_results) + len(probe_results), total)
            probe_results.append(probe(context))
            context.close()
    except (lb.UnreachableError, httpx.TransportError) as error:
        done = len(attack_results) + len(probe_results)
        raise lb.UnreachableError(
            f"{context.url} stopped answering after {done} of {total} attacks and probes "
            f"({str(error) or type(error).__name__}); the drill is incomplete and not reported. Run it again"
        ) from None
    report("done", total, total)
    return tuple(attack_results), tuple(probe_results)


def _run_attack(name: str, attack: Attack, context: ProbeContext, target: DrillTarget, *, budget: int) -> AttackResult:
    participant = sign_up(context.url, context.slug, target.briefing, name=name, requirements=context.requirements)
    try:
        return run_attack(name, attack, participant, target, budget=budget, rng=context.rng)
    finally:
        participant.close()


@contextmanager
def _open_context(
    competition: Competition, copy: Copy, briefing: Briefing, *, rng: np.random.Generator, quick: bool, database: str
) -> Iterator[LocalProbeContext]:
    folder = copy.folder.parent
    with make_database(database) as inside, run_server([copy.folder], folder / "data", database=inside) as server:
        context = LocalProbeContext(
            server.url,
            copy.slug,
            briefing,
            competition.format,
            rng,
            competition.rules.instances == "rank",
            EntryRequirements(training_score=_claim_training_score(competition)),
            competition=competition,
            copy=copy,
            server=server,
            folder=folder,
            quick=quick,
        )
        with closing(context):
            yield context


def _add_flags(context: LocalProbeContext, attack_results: tuple[AttackResult, ...]) -> tuple[AttackResult, ...]:
    """Add the flags that the organiser sees about each attacker's teams."""
    if not attack_results:
        return attack_results
    with sign_in_organiser(context) as organiser:
        raised = organiser.list_flags()
    return tuple(
        replace(one, flags=tuple(sorted({kind for team, kind in raised if team in one.teams})))
        for one in attack_results
    )


def _claim_training_score(competition: Competition) -> float | None:
    baseline = competition.public.yardstick.baseline_score
    return claim_training_score(competition.mechanism.name, competition.metric.name, baseline)


def _known_share(attack: str) -> float:
    return KNOWN_SHARE if DRILLED[attack].known_share > 0 else 0.0


def _choose(given: Sequence[str] | None, known: Sequence[str], word: str) -> tuple[str, ...]:
    for name in given or ():
        if name not in known:
            raise lb.ParameterError(
                f"there is no {word} {name!r} that fits this competition; choose from: {', '.join(known)}"
            )
    return tuple(known if given is None else given)


def _ignore_progress(_what: str, _done: int, _total: int) -> None:
    return
