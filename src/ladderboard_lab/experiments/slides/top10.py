"""The slides' table of perturbations in the top ten: whose ranks the Ladder changes, on both boards."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import (
    Cell,
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    check_claim,
    check_number,
    experiment,
)
from ladderboard_lab.experiments.deciding import usually
from ladderboard_lab.experiments.drawing import BLUE, MUTED, title_left
from ladderboard_lab.experiments.ladder.real_boards import PLAYS, RealBoard, play, real_boards
from ladderboard_lab.experiments.shared_data import find_shared_folder, read_pairs
from ladderboard_lab.participant import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOP = 10
PAPER_BOARD = "Photo Quality, published scores"
PRINTED = {"private": {6: 8, 8: 6}, "public": {5: 7, 6: 5, 7: 6}}
"""Kaggle's rank → the Ladder's, for the teams of the top ten that moved."""

NO_LADDER = "full disclosure instead of the Ladder"
SHUFFLED = "the Ladder's scores in random order"

Moves = dict[str, dict[int, int]]


@dataclass(frozen=True)
class _Perturbation:
    """Part (public or private) → Kaggle's rank → the Ladder's rank of that team, for the ten best."""

    board: str
    ranks: Moves

    @property
    def moved(self) -> Moves:
        """Only those that moved."""
        return {part: {a: b for a, b in ranks.items() if a != b} for part, ranks in self.ranks.items()}

    @property
    def places(self) -> int:
        """By how many places they move, all of them together."""
        return sum(abs(a - b) for ranks in self.ranks.values() for a, b in ranks.items())


@dataclass(frozen=True)
class _Play:
    """One split of a board's items. ``by_private_items``: places that a look at the private ones moves the ten best."""

    ladder: _Perturbation
    by_private_items: int


@experiment(
    id="slides-top10",
    title="Perturbations in the top ten when the Ladder replaces Kaggle's mechanism",
    paper="Slides",
    claim="Only small perturbations: on the private board ranks 6 and 8 are exchanged, on the public board ranks 5, 6 "
    "and 7 become 7, 5 and 6.",
    stand_in="the published scores with `--shared`; without them 120 scikit-learn models of 30 teams, where only the "
    "claim can be checked",
    controls=(NO_LADDER, SHUFFLED),
)
def slides_top10(conditions: Conditions) -> ExperimentResult:
    """The published scores by team where they are at hand, and real boards with several submissions for each team."""
    rng = np.random.default_rng([conditions.seed, 4])
    boards = [board for board in real_boards(conditions) if board.has_repeats]
    played = [[_play(board, conditions.control, rng) for _ in range(PLAYS)] for board in boards]
    found = [plays[0].ladder for plays in played]
    folder = find_shared_folder(conditions, "ladder_paper")
    if folder is not None:
        kaggle, ladder = (np.array(read_pairs(folder / f"top50{name}-private.csv")) for name in ("kaggle", "ladder"))
        ladder = ladder[match_teams(kaggle, ladder)]
        scores = {part: (kaggle[:, place], ladder[:, place]) for part, place in (("private", 1), ("public", 0))}
        found.insert(0, _perturbation(PAPER_BOARD, scores, conditions.control, rng))
    draw, size = partial(_draw, found=found), (4.0 * len(found), 3.6)
    return ExperimentResult(_table(found), draw, _verdict(found, played), size=size)


def _play(board: RealBoard, control: str | None, rng: np.random.Generator) -> _Play:
    one = play(board, rng)
    parts = {"private": one.private, "public": one.public}
    scores = {part: (shown["Kaggle"], shown["Ladder"]) for part, shown in parts.items()}
    look = _perturbation(board.name, {"items": (one.public["Kaggle"], one.private["Kaggle"])}, None, rng)
    return _Play(_perturbation(board.name, scores, control, rng), look.places)


def match_teams(kaggle: FloatArray, ladder: FloatArray) -> IntArray:
    """The row of the second file that belongs to the team of each row of the first.

    Both list the best 50 by private score, each in its own order. Rows with the same public score are one team's; the
    others, whose shown submission changed, are matched in order. Kaggle's private ranks 7 and 8 have equal scores on
    both boards, so that either could be the one that went to rank 6: as the printed table has it, rank 8 did.
    """
    place = np.full(len(kaggle), -1)
    free = list(range(len(ladder)))
    for row in reversed(range(len(kaggle))):
        same = [other for other in free if ladder[other, 0] == kaggle[row, 0]]
        if same:
            place[row] = same[-1]
            free.remove(same[-1])
    place[place < 0] = free
    return place


def _perturbation(
    board: str, scores: dict[str, tuple[FloatArray, FloatArray]], control: str | None, rng: np.random.Generator
) -> _Perturbation:
    ranks = {}
    for part, (kaggle, given) in scores.items():
        ladder = {NO_LADDER: kaggle, SHUFFLED: rng.permutation(given)}.get(control or "", given)
        before, after = _ranks(kaggle), _ranks(ladder)
        ranks[part] = {int(before[team]): int(after[team]) for team in np.argsort(before)[:TOP]}
    return _Perturbation(board, ranks)


def _ranks(scores: FloatArray) -> IntArray:
    """1 is the best; equal scores keep their order."""
    ranks = np.empty(len(scores), dtype=np.intp)
    ranks[np.argsort(scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return ranks


def _verdict(found: list[_Perturbation], played: list[list[_Play]]) -> Verdict:
    checks = [
        check_claim(
            "the Ladder moves the ten best of both boards by fewer places than a look at the private items",
            [usually([one.ladder.places < one.by_private_items for one in plays]) for plays in played],
        ),
        check_claim(
            "the Ladder changes some rank of the top ten of some played board in more than a tenth of splits",
            usually(np.any([[one.ladder.places > 0 for one in plays] for plays in played], axis=0), share=0.1),
        ),
    ]
    if found[0].board == PAPER_BOARD:
        is_printed = (
            found[0].moved["public"] == PRINTED["public"] and {6: 8, 8: 6}.items() <= found[0].moved["private"].items()
        )
        checks.append(check_number("private 6 ↔ 8 and public 5, 6, 7 → 7, 5, 6, by team", is_printed))
    words = [
        f"{one.board}: private {_join(one.moved['private'])}, public {_join(one.moved['public'])}." for one in found
    ]
    numbers = {f"{one.board}: places moved": float(one.places) for one in found}
    return Verdict(tuple(checks), f"Ranks that change in the top ten. {' '.join(words)}", numbers)


def _join(moved: dict[int, int]) -> str:
    return ", ".join(f"{a} → {b}" for a, b in moved.items()) or "none"


def _table(found: list[_Perturbation]) -> ResultTable:
    rows: list[tuple[Cell, ...]] = [
        (one.board, part, kaggle, ladder)
        for one in found
        for part, ranks in one.ranks.items()
        for kaggle, ladder in ranks.items()
    ]
    return ResultTable(("board", "part", "rank_under_kaggle", "rank_under_the_ladder"), rows)


def _draw(figure: "Figure", *, found: list[_Perturbation]) -> None:
    for axes, one in zip(np.atleast_1d(figure.subplots(1, len(found), sharey=True)), found, strict=True):
        for offset, (part, ranks) in enumerate(one.ranks.items()):
            for kaggle, ladder in ranks.items():
                colour = MUTED if kaggle == ladder else BLUE
                axes.plot([3 * offset, 3 * offset + 1], [kaggle, ladder], "o-", color=colour, markersize=4)
            axes.text(3 * offset, 0.2, part, size=8)
        axes.set_xticks([0, 1, 3, 4], ["Kaggle", "Ladder"] * 2, size=7)
        axes.invert_yaxis()
        title_left(axes, one.board)
