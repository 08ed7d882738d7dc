"""Attacks that climb a board without learning anything, listed in `ATTACKS`."""

from ladderboard_lab.attacks.auc_probe import AucProbe
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.attacks.best_of_n import BestOfN
from ladderboard_lab.attacks.boosting import Boosting
from ladderboard_lab.attacks.coordinate_probe import CoordinateProbe
from ladderboard_lab.attacks.freedman import Freedman
from ladderboard_lab.attacks.hill_climb import HillClimb
from ladderboard_lab.attacks.insiders.cashing_reader import CashingReader
from ladderboard_lab.attacks.insiders.combo import Combo
from ladderboard_lab.attacks.insiders.forecast_reader import ForecastReader
from ladderboard_lab.attacks.insiders.look import Look
from ladderboard_lab.attacks.insiders.padding import Padding
from ladderboard_lab.attacks.insiders.reader import Reader
from ladderboard_lab.attacks.insiders.reader_ring import ReaderRing
from ladderboard_lab.attacks.ladder_aware_boosting import LadderAwareBoosting
from ladderboard_lab.attacks.log_loss_boosting import LogLossBoosting
from ladderboard_lab.attacks.log_loss_oracle import LogLossOracle
from ladderboard_lab.attacks.multiclass import Multiclass
from ladderboard_lab.attacks.repeat_averaging import RepeatAveraging
from ladderboard_lab.attacks.split_membership import SplitMembership
from ladderboard_lab.attacks.step_forward import StepForward
from ladderboard_lab.attacks.sybil import Sybil
from ladderboard_lab.attacks.weighted_boosting import WeightedBoosting

ATTACKS: dict[str, type[Attack]] = {
    attack.name: attack
    for attack in (
        # random vectors
        BestOfN,
        Boosting,
        WeightedBoosting,
        LadderAwareBoosting,
        Multiclass,
        Sybil,
        # step by step
        HillClimb,
        CoordinateProbe,
        # with labels known from outside
        Padding,
        Look,
        Combo,
        Reader,
        CashingReader,
        ReaderRing,
        ForecastReader,
        # through a metric
        AucProbe,
        LogLossBoosting,
        LogLossOracle,
        SplitMembership,
        # by regression
        Freedman,
        StepForward,
        # through noise
        RepeatAveraging,
    )
}
