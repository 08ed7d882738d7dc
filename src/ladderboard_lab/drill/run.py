"""A whole drill: every attack that fits, every probe, one report."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ladderboard as lb
from ladderboard.competition import Competition, load_competition
from ladderboard_lab.drill.fights import INSIDERS, Fought, fight, fitting_attacks
from ladderboard_lab.drill.probes import PROBES
from ladderboard_lab.drill.problem import drill_problem
from ladderboard_lab.drill.scene import Probed, Scene
from ladderboard_lab.drill.strangers import sign_up
from ladderboard_lab.drill.throwaway import Copy, RunningServer, copy_competition, serving

Progress = Callable[[str, int, int], None]
"""Called with what is being done now, how much is done and how much there is."""

KNOWN_SHARE = 0.5


@dataclass(frozen=True)
class DrillReport:
    """What a drill found."""

    title: str
    metric: str
    mechanism: str
    public_rows: int
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
            "public_rows": self.public_rows,
            "holds": self.holds,
            "attacks": [one.to_dict() for one in self.fought],
            "probes": [one.to_dict() for one in self.probed],
        }


def drill(
    folder: Path,
    *,
    budget: int = 200,
    attacks: Sequence[str] = (),
    probes: Sequence[str] | None = None,
    database: str = "",
    seed: int = 0,
    progress: Progress | None = None,
) -> DrillReport:
    """Serve a throw-away copy of the competition in ``folder`` and attack it.

    ``attacks``, ``probes``: names, by default all that fit. ``database``: where the copy is kept, by default a SQLite
    file that is thrown away too.
    """
    original = load_competition(folder)
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory(prefix="ladderboard-drill-") as temporary:
        copy = copy_competition(original, Path(temporary) / "copy", rng=rng)
        competition = load_competition(copy.folder)
        names = _chosen(attacks, tuple(fitting_attacks(drill_problem(competition, copy, rng=rng))), "attack")
        wanted = tuple(PROBES) if probes is None else _chosen(probes, tuple(PROBES), "probe")
        report = progress or _silence
        with serving(copy.folder, Path(temporary) / "data", database=database) as server:
            fought, probed = [], []
            for done, name in enumerate(names):
                report(name, done, len(names) + len(wanted))
                fought.append(_fight(name, copy, competition, server, budget=budget, rng=rng))
            for done, name in enumerate(wanted):
                report(name, len(names) + done, len(names) + len(wanted))
                scene = Scene(competition, copy, server, np.random.default_rng(seed + done + 1))
                probed.append(PROBES[name](scene))
            report("done", len(names) + len(wanted), len(names) + len(wanted))
    return DrillReport(
        title=original.rules.title,
        metric=original.metric.name,
        mechanism=original.mechanism.name,
        public_rows=len(original.public),
        fought=tuple(fought),
        probed=tuple(probed),
    )


def _fight(
    name: str, copy: Copy, competition: Competition, server: RunningServer, *, budget: int, rng: np.random.Generator
) -> Fought:
    problem = drill_problem(competition, copy, rng=rng, known_share=KNOWN_SHARE if name in INSIDERS else 0.0)
    attack = fitting_attacks(problem)[name]
    stranger = sign_up(server.url, copy.slug, problem.briefing, name=name)
    return fight(name, attack, stranger, problem, competition, budget=budget, rng=rng)


def _chosen(given: Sequence[str], known: tuple[str, ...], word: str) -> tuple[str, ...]:
    for name in given:
        if name not in known:
            raise lb.ParameterError(
                f"there is no {word} {name!r} that fits this competition; there are {', '.join(known)}"
            )
    return tuple(given) or known


def _silence(_what: str, _done: int, _total: int) -> None:
    return
