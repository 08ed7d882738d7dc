"""A whole drill: every attack that fits, every probe, one report."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import ladderboard as lb
from ladderboard.competition import Competition, load_competition
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.drill.fights import INSIDERS, Fought, fight
from ladderboard_lab.drill.http_participants import Asked, sign_up, training_claim
from ladderboard_lab.drill.organiser import organiser_of
from ladderboard_lab.drill.probes import PROBES
from ladderboard_lab.drill.problem import drill_problem
from ladderboard_lab.drill.scene import OwnScene, Probed, Scene
from ladderboard_lab.drill.servers import fresh_database, serving
from ladderboard_lab.drill.targets import DRILLED, KnownTarget, Target, fitting_attacks
from ladderboard_lab.drill.throwaway import Copy, copy_competition, shuffled_labels
from ladderboard_lab.participant import Briefing

Progress = Callable[[str, int, int], None]
"""Called with what is being done now, how much is done and how much there is."""

BUDGET, QUICK_BUDGET = 100, 30
KNOWN_SHARE = 0.5


@dataclass(frozen=True)
class DrillReport:
    """What a drill found."""

    title: str
    metric: str
    mechanism: str
    against: str
    """What overfit is measured against, in words."""
    fought: tuple[Fought, ...]
    probed: tuple[Probed, ...]

    @property
    def holds(self) -> bool:
        """Whether no stated bound was broken and nothing leaked."""
        return not any(one.breaks_bound for one in self.fought) and all(one.holds for one in self.probed)

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "metric": self.metric,
            "mechanism": self.mechanism,
            "against": self.against,
            "holds": self.holds,
            "attacks": [one.to_dict() for one in self.fought],
            "probes": [one.to_dict() for one in self.probed],
        }


@dataclass(frozen=True)
class Wishes:
    """What a drill shall do. None: all attacks, all probes; an empty tuple: none of them."""

    attacks: Sequence[str] | None = None
    probes: Sequence[str] | None = None
    budget: int = BUDGET
    seed: int = 0
    quick: bool = False
    progress: Progress | None = None

    def choose(self, attacks: Sequence[str], probes: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of what is to be done, of those that fit; raises `ParameterError` for one that does not."""
        return _chosen(self.attacks, attacks, "attack"), _chosen(self.probes, probes, "probe")


def drill(folder: Path, wishes: Wishes | None = None, *, database: str = "") -> DrillReport:
    """Serve a throw-away copy of the competition in ``folder`` and attack it.

    ``database``: a PostgreSQL database in which the copy gets a schema of its own; by default it is a SQLite file. Both
    are thrown away.
    """
    wishes = wishes or Wishes()
    original, rng = load_competition(folder), np.random.default_rng(wishes.seed)
    with tempfile.TemporaryDirectory(prefix="ladderboard-drill-") as name:
        copy = copy_competition(original, Path(name) / "copy", shuffled_labels(original, rng=rng))
        competition = load_competition(copy.folder)
        problems = {share: drill_problem(competition, copy, rng=rng, known_share=share) for share in (0.0, KNOWN_SHARE)}
        grounds = {share: KnownTarget(problem, competition) for share, problem in problems.items()}
        fitting = {share: fitting_attacks(ground) for share, ground in grounds.items()}
        # Names are looked at before anything is started.
        names, probes = wishes.choose([name for name in DRILLED if name in fitting[_known_to(name)]], tuple(PROBES))
        chosen = {name: grounds[_known_to(name)] for name in names}
        where: dict[str, Any] = {"rng": rng, "quick": wishes.quick, "database": database}
        with _own_scene(competition, copy, problems[0.0].briefing, **where) as scene:
            fought, probed = run_all(scene, chosen, {name: PROBES[name] for name in probes}, wishes)
            fought = _with_flags(scene, fought)
    return DrillReport(
        title=original.rules.title,
        metric=original.metric.name,
        mechanism=original.mechanism.name,
        against=f"the true score of each submission on {len(original.public):,} public rows with shuffled labels",
        fought=fought,
        probed=probed,
    )


def run_all(
    scene: Scene, grounds: Mapping[str, Target], probes: Mapping[str, Callable[[Any], Probed]], wishes: Wishes
) -> tuple[tuple[Fought, ...], tuple[Probed, ...]]:
    """Every attack on its ground, then every probe, each with accounts of its own."""
    import httpx

    total, report = len(grounds) + len(probes), wishes.progress or _silence
    fought: list[Fought] = []
    probed: list[Probed] = []
    try:
        for name, ground in grounds.items():
            report(name, len(fought), total)
            attack = fitting_attacks(ground)[name]
            fought.append(_fight(name, attack, scene, ground, budget=wishes.budget))
        for name, probe in probes.items():
            report(name, len(fought) + len(probed), total)
            probed.append(probe(scene))
            scene.close()
    except (lb.UnreachableError, httpx.TransportError) as error:
        raise lb.UnreachableError(
            f"{scene.url} stopped answering after {len(fought) + len(probed)} of {total} attacks and probes "
            f"({str(error) or type(error).__name__}); what was found until then is not reported: drill again"
        ) from None
    report("done", total, total)
    return tuple(fought), tuple(probed)


def _fight(name: str, attack: Attack, scene: Scene, ground: Target, *, budget: int) -> Fought:
    stranger = sign_up(scene.url, scene.slug, ground.briefing, name=name, asked=scene.asked)
    try:
        return fight(name, attack, stranger, ground, budget=budget, rng=scene.rng)
    finally:
        stranger.close()


@contextmanager
def _own_scene(
    competition: Competition, copy: Copy, briefing: Briefing, *, rng: np.random.Generator, quick: bool, database: str
) -> Iterator[OwnScene]:
    folder = copy.folder.parent
    with fresh_database(database) as inside, serving([copy.folder], folder / "data", database=inside) as server:
        scene = OwnScene(
            server.url,
            copy.slug,
            briefing,
            competition.format,
            rng,
            competition.rules.instances == "rank",
            Asked(training_score=_claim(competition)),
            competition=competition,
            copy=copy,
            server=server,
            folder=folder,
            quick=quick,
        )
        try:
            yield scene
        finally:
            scene.close()


def _with_flags(scene: OwnScene, fought: tuple[Fought, ...]) -> tuple[Fought, ...]:
    """With what the organiser's dashboard has about each attacker's teams."""
    if not fought:
        return fought
    with organiser_of(scene) as organiser:
        raised = organiser.flags()
    return tuple(
        replace(one, flags=tuple(sorted({kind for team, kind in raised if team in one.teams}))) for one in fought
    )


def _claim(competition: Competition) -> float | None:
    baseline = competition.public.yardstick.baseline_score
    return training_claim(competition.mechanism.name, competition.metric.name, baseline)


def _known_to(attack: str) -> float:
    return KNOWN_SHARE if attack in INSIDERS else 0.0


def _chosen(given: Sequence[str] | None, known: Sequence[str], word: str) -> tuple[str, ...]:
    for name in given or ():
        if name not in known:
            raise lb.ParameterError(
                f"there is no {word} {name!r} that fits this competition; there are {', '.join(known)}"
            )
    return tuple(known if given is None else given)


def _silence(_what: str, _done: int, _total: int) -> None:
    return
