"""Real submissions played on a public and a private part, once with full disclosure and once with the Ladder.

The submission files of the Photo Quality competition are not public. What can be played in full: published
predictions of real models where they are at hand (`shared_data`), and the digits board, which ships.
"""

import csv
import gzip
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions
from ladderboard_lab.experiments.multiplicity.digits_models import digits_submissions
from ladderboard_lab.experiments.shared_data import find_shared_folder
from ladderboard_lab.participant import Array, FloatArray, IntArray

PLAYS = 120
"""The splits on which a board is played behind a verdict; its table and picture show the first."""
PUBLIC_SHARE = 0.3
"""The Photo Quality competition scored 3600 of its 12,000 items in public."""

MECHANISMS = {"Kaggle": "full_disclosure", "Ladder": "parameter_free_ladder"}


@dataclass(frozen=True, eq=False)
class RealBoard:
    """Labels, predictions (items × submissions) and the team of each submission."""

    name: str
    labels: Array
    predictions: Array
    teams: tuple[str, ...]

    @property
    def has_repeats(self) -> bool:
        """Whether teams sent in more than once; only then can the two mechanisms differ."""
        return len(set(self.teams)) < len(self.teams)


@dataclass(frozen=True, eq=False)
class Played:
    """What the two mechanisms showed for each team, and where on the items.

    ``public`` and ``private`` have one error rate for each team under each mechanism. ``leaders`` are the submissions
    that full disclosure has on the public board; ``losses`` are theirs on the private items (items × teams).
    """

    board: RealBoard
    teams: tuple[str, ...]
    public_items: int
    public: dict[str, FloatArray]
    private: dict[str, FloatArray]
    leaders: IntArray
    losses: FloatArray


def real_boards(conditions: Conditions) -> list[RealBoard]:
    """Every board that can be played here, the one with the most items first."""
    readers: dict[str, Callable[[Path], RealBoard]] = {
        "imagenetv2": _imagenet,
        "cifar10": _cifar10,
        "semeval2018_arct": _semeval,
    }
    if conditions.quick:
        del readers["imagenetv2"]
    folders = {name: find_shared_folder(conditions, name) for name in readers}
    found = [readers[name](folder) for name, folder in folders.items() if folder is not None]
    return [*found, RealBoard("digits, 120 models of 30 teams", *digits_submissions())]


def play(board: RealBoard, rng: np.random.Generator) -> Played:
    """A random split of the items, and the submissions in random order, sent to both parts of both boards."""
    items = rng.permutation(len(board.labels))
    public, private = np.split(items, [round(PUBLIC_SHARE * len(items))])
    order = rng.permutation(len(board.teams))
    teams = tuple(dict.fromkeys(board.teams))
    scores = {
        part: {name: _scores(board, mechanism, chosen, order, teams) for name, mechanism in MECHANISMS.items()}
        for part, chosen in (("public", public), ("private", private))
    }
    leaders = scores["public"]["Kaggle"][1]
    losses = (board.predictions[np.ix_(private, leaders)] != board.labels[private, None]).astype(np.float64)
    shown = {part: {name: found[0] for name, found in both.items()} for part, both in scores.items()}
    return Played(board, teams, len(public), shown["public"], shown["private"], leaders, losses)


def _scores(
    board: RealBoard, mechanism: str, items: IntArray, order: IntArray, teams: tuple[str, ...]
) -> tuple[FloatArray, IntArray]:
    """For each team what the board shows at the end, and the submission it is about."""
    leaderboard = lb.Leaderboard(board.labels[items], mechanism=mechanism, seed=0)
    shown, leaders = np.full(len(teams), np.nan), np.zeros(len(teams), dtype=np.intp)
    for submission in order:
        team = teams.index(board.teams[submission])
        release = leaderboard.submit(teams[team], board.predictions[items, submission])
        shown[team] = np.nan if release.board_value is None else release.board_value
        leaders[team] = submission if release.accepted else leaders[team]
    return shown, leaders


def _imagenet(folder: Path) -> RealBoard:
    with np.load(folder / "imagenet_val_50k_top1.npz") as data:
        models = tuple(str(name) for name in data["models"])
        return RealBoard("ImageNet, 67 published models", data["label"], data["pred"], _families(models))


def _cifar10(folder: Path) -> RealBoard:
    with np.load(folder / "cifar10_30models.npz") as data:
        models = tuple(str(name) for name in data["models"])
        return RealBoard(
            "CIFAR-10, 30 published models", data["cifar10_label"], data["cifar10_pred"], _families(models)
        )


def _semeval(folder: Path) -> RealBoard:
    with gzip.open(folder / "predictions.csv.gz", "rt", newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    table = np.array([row[1:] for row in rows], dtype=np.int8)
    return RealBoard("SemEval-2018 task 12, 23 teams", table[:, 0], table[:, 1:], tuple(header[2:]))


def _families(models: tuple[str, ...]) -> tuple[str, ...]:
    """Published models have no teams: those of one architecture are taken for one, by the letters they begin with.

    >>> _families(("resnet101", "resnet_v1_50_tf", "se_resnet50", "wrn_28_10"))
    ('resnet', 'resnet', 'se', 'wrn')
    """
    return tuple(re.split(r"[\d_]", name)[0] for name in models)
