"""Results of systems on items, from the files of a harness or a table: loss matrices, battles, boards of scores.

>>> matrix = LossMatrix.of([[0, 1], [0, 0], [1, 1]], systems=["ours", "theirs"])
>>> matrix.systems, matrix.means.round(3).tolist()
(('ours', 'theirs'), [0.333, 0.667])
"""

from ladderboard.evals.battles import Battles
from ladderboard.evals.boards import Board, read_board
from ladderboard.evals.conditions import merge_named
from ladderboard.evals.loss_matrix import LossMatrix, Repeats
from ladderboard.evals.options import Kind, Missing
from ladderboard.evals.results import read_matrix_results, read_results
from ladderboard.evals.wide_tables import read_loss_matrix
from ladderboard.inference.conditions import ConditionLosses
from ladderboard.inference.measure import ACCURACY, LOSS, Measure

__all__ = [
    "ACCURACY",
    "LOSS",
    "Battles",
    "Board",
    "ConditionLosses",
    "Kind",
    "LossMatrix",
    "Measure",
    "Missing",
    "Repeats",
    "merge_named",
    "read_board",
    "read_loss_matrix",
    "read_matrix_results",
    "read_results",
]
