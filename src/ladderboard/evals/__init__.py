"""Tables of finished boards: items × systems of losses, and boards that are only a list of scores.

>>> matrix = LossMatrix.of([[0, 1], [0, 0], [1, 1]], systems=["ours", "theirs"])
>>> matrix.systems, matrix.means.round(3).tolist()
(('ours', 'theirs'), [0.333, 0.667])
"""

from ladderboard.evals.boards import Board, read_board
from ladderboard.evals.loss_matrix import LossMatrix, Repeats
from ladderboard.evals.wide_tables import Kind, Missing, read_loss_matrix
from ladderboard.inference.measure import ACCURACY, LOSS, Measure

__all__ = [
    "ACCURACY",
    "LOSS",
    "Board",
    "Kind",
    "LossMatrix",
    "Measure",
    "Missing",
    "Repeats",
    "read_board",
    "read_loss_matrix",
]
