"""Holdouts for tests: balanced labels, predictions with a wanted number of errors, and real other processes."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt
import pytest

Labels = npt.NDArray[np.int64]

PROLOGUE = """
import sys
import numpy as np
from ladderboard.guard.holdout import Holdout
from tests.guard.guards import labels_of, with_errors
"""


def labels_of(items: int = 600) -> Labels:
    return np.arange(items) % 2


def with_errors(labels: Labels, errors: int, seed: int = 0) -> Labels:
    """Predictions that are wrong on ``errors`` items drawn at random."""
    predictions = labels.copy()
    wrong = np.random.default_rng(seed).permutation(len(labels))[:errors]
    predictions[wrong] = 1 - predictions[wrong]
    return predictions


def start_python(code: str, *arguments: object) -> "subprocess.Popen[str]":
    """Another Python process that runs ``code`` after `PROLOGUE`; its arguments are in ``sys.argv[1:]``."""
    command = [sys.executable, "-c", PROLOGUE + code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=project_root())


def finish(processes: Sequence["subprocess.Popen[str]"]) -> list[str]:
    """The outputs of processes that must all end well."""
    outputs = []
    for process in processes:
        output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        outputs.append(output)
    return outputs


def project_root() -> Path:
    return Path(__file__).parent.parent.parent


@contextmanager
def folder_open_to_others() -> Iterator[Path]:
    """A folder that every user of the machine can reach; skips where temporary files are closed to them.

    Pytest's own folders will not do: each run that begins on the machine makes them private again.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for place in folder.parents:
            if place.stat().st_mode & 0o005 != 0o005:
                pytest.skip(f"{place}, where temporary files lie, is closed to other users")
        yield folder
