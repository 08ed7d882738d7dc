"""Several runs of one system on one task: which of them count.

Runs that share no item add up: a task may be run in parts. Of runs that share items the fullest counts, and of equally
full ones the latest, so that a newer trial run on a few items does not replace a whole one.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence

from ladderboard.core.errors import InputError
from ladderboard.evals.left_out import Note, collect_left_out, list_names
from ladderboard.evals.options import Reruns
from ladderboard.evals.runs import Run

OLDER = "a later run of the same system on the same task counts; --reruns repeats averages them"
PARTIAL = "a fuller run of the same system on the same task counts; --reruns latest takes the latest instead"


def choose_runs(source: str, runs: Sequence[Run], reruns: Reruns, said: list[Note]) -> list[Run]:
    """The runs that count: no two of one system share an item, unless several are wanted as repeats."""
    if reruns == "repeats":
        return list(runs)
    by_name: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in runs:
        by_name[run.system, run.task].append(run)
    choose: Callable[[str, list[Run]], Run] = _choose_fullest if reruns == "fullest" else _choose_latest
    kept: list[Run] = []
    dropped: list[tuple[str, str]] = []
    for same in by_name.values():
        for rivals in _split_by_items(same):
            chosen = choose(source, rivals)
            kept.append(chosen)
            dropped += [(f"{run.file}: {run.name}", _give_reason(run, chosen)) for run in rivals if run is not chosen]
    said += collect_left_out("run", dropped)
    said += _describe_parts(kept)
    return kept


def _choose_fullest(source: str, rivals: list[Run]) -> Run:
    """The run that has every item the others have; of several such the one of most samples, then the latest."""
    most = max(rivals, key=lambda run: run.size)
    for run in rivals:
        if not run.scored <= most.scored:
            raise InputError(
                f"{source}: {most.file} and {run.file} both hold {run.name}, each with items that the other "
                "lacks; say which counts (--reruns latest), average them (--reruns repeats), or remove one"
            )
    return _choose_latest(source, [run for run in rivals if run.size == most.size])


def _choose_latest(source: str, rivals: list[Run]) -> Run:
    dates = [run.date for run in rivals]
    if len(rivals) > 1 and (None in dates or len(set(dates)) < len(dates)):
        raise InputError(
            f"{source}: {rivals[0].file} and {rivals[1].file} both hold {rivals[0].name}, and nothing says "
            "which is the later one; remove one, or average them (reruns='repeats', --reruns repeats)"
        )
    return max(rivals, key=lambda run: run.date or "")


def _split_by_items(runs: list[Run]) -> list[list[Run]]:
    """The runs in sets that share items, directly or through others."""
    if len(runs) == 1:
        return [runs]
    leader = list(range(len(runs)))

    def find(place: int) -> int:
        while leader[place] != place:
            place = leader[place]
        return place

    first: dict[str, int] = {}
    for place, run in enumerate(runs):
        for item in run.items:
            one, other = sorted((find(first.setdefault(item, place)), find(place)))
            leader[other] = one
    sets: dict[int, list[Run]] = defaultdict(list)
    for place, run in enumerate(runs):
        sets[find(place)].append(run)
    return list(sets.values())


def _give_reason(run: Run, chosen: Run) -> str:
    return PARTIAL if run.size < chosen.size else OLDER


def _describe_parts(kept: Sequence[Run]) -> list[Note]:
    """Say which systems were put together from several files, and which tasks were run in part only."""
    files: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for run in kept:
        files[run.system, run.task][run.file] = None
    said: list[Note] = [
        f"{f'{system} on {task}' if task else system}: put together from {len(names)} files that share no item "
        f"({list_names(names)})"
        for (system, task), names in files.items()
        if len(names) > 1
    ]
    limits: dict[int, list[Run]] = defaultdict(list)
    for run in kept:
        if run.limit is not None:
            limits[run.limit].append(run)
    for limit, runs in sorted(limits.items()):
        names = dict.fromkeys(run.name for run in runs)
        said.append(f"run with --limit, on {limit} samples only: {list_names(names)} ({len(names)} in all)")
    return said
