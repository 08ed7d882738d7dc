"""Counts and times of one server process, and the text that Prometheus reads.

Every process has its own; each series carries the process's id, so that a monitor adds up rates, which stays right when
a process is replaced. With several workers a process answers for its siblings too: see `Shelf`.
"""

import json
import os
import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper ends of the classes of durations, in seconds."""

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Family:
    """All series of one name."""

    name: str
    kind: str
    help: str
    samples: tuple[tuple[str, Labels, float], ...]
    """Name (with a suffix, for parts of a histogram), labels, value."""

    def to_json(self) -> list[object]:
        return [self.name, self.kind, self.help, [[name, list(labels), value] for name, labels, value in self.samples]]

    @classmethod
    def from_json(cls, record: list[object]) -> "Family":
        name, kind, words, samples = record
        assert isinstance(samples, list)
        read = tuple(
            (str(one), tuple((str(k), str(v)) for k, v in labels), float(value)) for one, labels, value in samples
        )
        return cls(str(name), str(kind), str(words), read)


def gauge(name: str, words: str, values: Mapping[Labels, float] | float) -> Family:
    """A number that goes up and down."""
    by_labels = values if isinstance(values, Mapping) else {(): values}
    return Family(name, "gauge", words, tuple((name, labels, float(value)) for labels, value in by_labels.items()))


class Counter:
    """A number for each set of labels, which only grows."""

    def __init__(self, name: str, words: str) -> None:
        self._name, self._words = name, words
        self._counts: dict[Labels, float] = defaultdict(float)
        self._guard = threading.Lock()

    def add(self, amount: float = 1, **labels: str) -> None:
        with self._guard:
            self._counts[tuple(sorted(labels.items()))] += amount

    def family(self, process: Labels) -> Family:
        with self._guard:
            counts = dict(self._counts)
        samples = tuple((self._name, process + labels, value) for labels, value in sorted(counts.items()))
        return Family(self._name, "counter", self._words, samples)


class Histogram:
    """How many durations fell into each class, for each set of labels."""

    def __init__(self, name: str, words: str, buckets: tuple[float, ...] = BUCKETS) -> None:
        self._name, self._words, self._buckets = name, words, buckets
        self._counts: dict[Labels, list[int]] = defaultdict(lambda: [0] * (len(buckets) + 1))
        self._sums: dict[Labels, float] = defaultdict(float)
        self._guard = threading.Lock()

    def observe(self, value: float, **labels: str) -> None:
        key = tuple(sorted(labels.items()))
        with self._guard:
            self._counts[key][bisect_left(self._buckets, value)] += 1
            self._sums[key] += value

    def family(self, process: Labels) -> Family:
        with self._guard:
            rows = [(labels, list(counts), self._sums[labels]) for labels, counts in sorted(self._counts.items())]
        return Family(self._name, "histogram", self._words, tuple(self._samples(rows, process)))

    def _samples(
        self, rows: Iterable[tuple[Labels, list[int], float]], process: Labels
    ) -> Iterator[tuple[str, Labels, float]]:
        ends = [f"{end:g}" for end in self._buckets] + ["+Inf"]
        for labels, counts, total in rows:
            below = 0
            for end, count in zip(ends, counts, strict=True):
                below += count
                yield f"{self._name}_bucket", (*process, *labels, ("le", end)), float(below)
            yield f"{self._name}_sum", process + labels, total
            yield f"{self._name}_count", process + labels, float(below)


class ProcessMetrics:
    """What one server process counts."""

    def __init__(self) -> None:
        self.requests = Counter("ladderboard_requests_total", "Requests answered, by route and status.")
        self.durations = Histogram("ladderboard_request_duration_seconds", "How long answers took, by route.")
        self.submissions = Counter("ladderboard_uploads_total", "Uploads answered, by status.")
        self.deliveries = Counter("ladderboard_webhook_tries_total", "Tries to deliver webhooks, by outcome.")
        self.open = 0

    def families(self) -> list[Family]:
        process = (("process", str(os.getpid())),)
        counted = [one.family(process) for one in (self.requests, self.durations, self.submissions, self.deliveries)]
        return [*counted, gauge("ladderboard_requests_open", "Requests being answered.", {process: float(self.open)})]


class Shelf:
    """A folder in which the processes of one machine leave their counts, so that any of them can answer for all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, families: Iterable[Family]) -> None:
        """Leave this process's counts; a monitor never sees half of them."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{os.getpid()}.json"
        arriving = path.with_suffix(".arriving")
        arriving.write_text(json.dumps([one.to_json() for one in families]))
        arriving.replace(path)

    def remove(self) -> None:
        """Leave nothing behind: the process ends."""
        (self._folder / f"{os.getpid()}.json").unlink(missing_ok=True)

    def of_others(self) -> list[Family]:
        """What the other processes left; the files of those that died are removed."""
        found: list[Family] = []
        for path in sorted(self._folder.glob("*.json")):
            pid = int(path.stem) if path.stem.isdecimal() else 0
            if pid == os.getpid():
                continue
            if not _runs(pid):
                path.unlink(missing_ok=True)
                continue
            with suppress(OSError, ValueError):
                found += [Family.from_json(one) for one in json.loads(path.read_text())]
        return found


def exposition(families: Iterable[Family]) -> str:
    """The text that Prometheus reads; families of one name are put together.

    >>> print(exposition([gauge("teams", "How many.", {(("competition", "whales"),): 2.0})]), end="")
    # HELP teams How many.
    # TYPE teams gauge
    teams{competition="whales"} 2
    """
    together: dict[str, list[Family]] = {}
    for family in families:
        together.setdefault(family.name, []).append(family)
    lines: list[str] = []
    for name, same in together.items():
        lines += [f"# HELP {name} {same[0].help}", f"# TYPE {name} {same[0].kind}"]
        lines += [_line(*sample) for family in same for sample in family.samples]
    return "\n".join(lines) + "\n"


def _line(name: str, labels: Labels, value: float) -> str:
    inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
    number = f"{int(value)}" if value.is_integer() and abs(value) < 1e15 else repr(value)
    return f"{name}{{{inside}}} {number}" if inside else f"{name} {number}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _runs(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
