"""Twin competitions, which differ only in labels that nobody may learn, served side by side.

Private twins differ in the labels of private rows. Public twins differ in labels of public rows, and are sent only
files that both reject alike. Both have the same secret, so that their splits and draws are the same. Whatever a visitor
can distinguish then is a leak.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from ladderboard.competition import Competition, load_competition
from ladderboard_lab.drill.http_participants import write_csv
from ladderboard_lab.drill.probe_context import LocalProbeContext
from ladderboard_lab.drill.servers import RunningServer, run_server
from ladderboard_lab.drill.throwaway import copy_competition
from ladderboard_lab.participant import Array, IntArray

Part = Literal["private", "public"]
STREAM = 6


@dataclass(frozen=True, eq=False)
class Twins:
    """Two competitions, and files that get the same releases from both."""

    part: Part
    folders: tuple[Path, Path]
    slugs: tuple[str, str]
    same_rows: IntArray
    """Public rows whose labels are the same in both."""
    stream: tuple[bytes, ...]


@contextmanager
def serve_twins(context: LocalProbeContext) -> Iterator[tuple[RunningServer, list[Twins]]]:
    """Serve all pairs in one process; leave out a pair without files that get equal releases."""
    secret = secrets.token_bytes(32)
    pairs = [twins for part in ("private", "public") if (twins := _make_twins(context, part, secret)) is not None]
    folders = [folder for twins in pairs for folder in twins.folders]
    _fix_secret(context, folders, secret)
    with run_server(folders, context.server.data, database=context.server.database) as server:
        yield server, pairs


def make_hopeless(context: LocalProbeContext, rows: IntArray) -> Array:
    """Make predictions that no mechanism accepts which compares with a baseline or an incumbent.

    They are wrong where both twins have the same labels, and guesses elsewhere.
    """
    values = context.rng.permutation(context.values)
    chosen = rows[context.rng.random(len(rows)) < 0.9]
    order = np.argsort(
        context.values[chosen] if context.values.ndim == 1 else context.values[chosen][:, 0], kind="stable"
    )
    values[chosen[order]] = context.values[chosen[order[::-1]]]
    return context.to_predictions(values)


def _make_twins(context: LocalProbeContext, part: Part, secret: bytes) -> Twins | None:
    other = _shuffle_part(context, part)
    number = secrets.token_hex(3)
    slugs = (f"twin-{number}-a", f"twin-{number}-b")
    folders = tuple(
        copy_competition(context.competition, context.folder / slug, labels, slug=slug).folder
        for slug, labels in zip(slugs, (context.copy.labels, other), strict=True)
    )
    public = context.competition.solution.rows("Public")
    same = public if part == "private" else public[: len(public) // 2]
    stream = _make_files(context, part, same)
    first, second = (load_competition(folder) for folder in folders)
    if context.competition.mechanism.is_noisy:
        stream = ()  # noise is drawn for each team, and teams have other ids
    elif _compute_releases(first, stream, secret) != _compute_releases(second, stream, secret):
        return None
    return Twins(part, (folders[0], folders[1]), slugs, same, stream)


def _shuffle_part(context: LocalProbeContext, part: Part) -> Array:
    solution = context.competition.solution
    public = solution.rows("Public")
    moved = solution.rows("Private") if part == "private" else public[len(public) // 2 :]
    labels = context.copy.labels.copy()
    labels[moved] = labels[context.rng.permutation(moved)]
    return labels


def _make_files(context: LocalProbeContext, part: Part, same: IntArray) -> tuple[bytes, ...]:
    """Make good, bad, repeated and constant files; for public twins only bad and constant ones."""
    bad = [make_hopeless(context, same) for _ in range(STREAM)]
    constant = np.repeat(bad[0][:1], len(bad[0]), axis=0)
    good = [_make_skilled(context, share) for share in (0.7, 0.9)] if part == "private" else []
    files = [*bad[:2], *good, constant, *bad[2:], bad[1], *good[:1]]
    return tuple(write_csv(context.format, values) for values in files)


def _make_skilled(context: LocalProbeContext, share: float) -> Array:
    return context.to_predictions(context.mix(share, context.values, context.rng.permutation(context.values)))


def _compute_releases(competition: Competition, stream: Sequence[bytes], secret: bytes) -> list[object]:
    """Compute the releases of a fresh team for these files, by the server's own steps."""
    from ladderboard.server.competitions.live_competition import LiveCompetition
    from ladderboard.server.submissions.memories import judge
    from ladderboard.server.submissions.records import StoredAnswers

    live = LiveCompetition(competition, secret, files=None)  # type: ignore[arg-type]  # all that is asked for is remembered
    key = live.instance_key("team", "live")
    memory, told = live.memory(key, None), [live.baseline_value]
    for number, content in enumerate(stream):
        candidate = live.evaluations.evaluate(
            f"file-{number}", live.evaluations.score(live.evaluations.read(content)).values
        )
        judged = judge(
            live,
            candidate,
            lambda name: live.evaluations.of(name, StoredAnswers),
            team_id="team",
            key=key,
            state_version=number,
            epoch=0,
            before=memory,
        )
        live.evaluations.remember(candidate)
        memory = judged.after
        told.append(judged.release)  # type: ignore[arg-type]
    return list(told)


def _fix_secret(context: LocalProbeContext, folders: Sequence[Path], secret: bytes) -> None:
    """Register the competitions before the server does, all with the same secret."""
    from ladderboard.server.services import open_services
    from ladderboard.server.settings import Settings

    settings = Settings(data=context.server.data, database=context.server.database)
    open_services(settings, folders, secret=secret).close()
