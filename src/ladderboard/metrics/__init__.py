"""Metrics: how predictions are scored against labels. `METRICS` names every one of them."""

from ladderboard.core.errors import ParameterError, unknown_name
from ladderboard.metrics.accuracy import Accuracy
from ladderboard.metrics.auc import Auc
from ladderboard.metrics.average_precision import AveragePrecision
from ladderboard.metrics.balanced_accuracy import BalancedAccuracy
from ladderboard.metrics.base import Metric
from ladderboard.metrics.brier import BrierScore
from ladderboard.metrics.c_index import ConcordanceIndex
from ladderboard.metrics.ccc import ConcordanceCorrelation
from ladderboard.metrics.columnwise import MeanColumnwiseAuc, MeanColumnwiseMae, MeanColumnwiseRmse
from ladderboard.metrics.custom import metric_from_function as metric_from_function
from ladderboard.metrics.error_rate import ErrorRate
from ladderboard.metrics.f1 import F1
from ladderboard.metrics.hamming import HammingLoss
from ladderboard.metrics.kendall import Kendall
from ladderboard.metrics.log_loss import Log10Loss, LogLoss
from ladderboard.metrics.macro_f1 import MacroF1
from ladderboard.metrics.mae import MeanAbsoluteError
from ladderboard.metrics.mape import MeanPercentageError
from ladderboard.metrics.masks import Dice, IntersectionOverUnion
from ladderboard.metrics.mcc import MatthewsCorrelation
from ladderboard.metrics.mse import MeanSquaredError
from ladderboard.metrics.multilabel_f1 import MultilabelMacroF1, MultilabelMicroF1, MultilabelSamplesF1
from ladderboard.metrics.pearson import Pearson
from ladderboard.metrics.pinball import Pinball
from ladderboard.metrics.probabilistic_c_index import ProbabilisticConcordanceIndex
from ladderboard.metrics.quadratic_kappa import QuadraticKappa
from ladderboard.metrics.r2 import RSquared
from ladderboard.metrics.ranking import HitRate, MeanAveragePrecision, MeanReciprocalRank, NormalisedGain, RecallAtK
from ladderboard.metrics.rmse import RootMeanSquaredError
from ladderboard.metrics.rmsle import RootMeanSquaredLogError
from ladderboard.metrics.smape import SymmetricPercentageError
from ladderboard.metrics.spearman import Spearman
from ladderboard.metrics.text_answers import ExactMatch, RougeL, TokenF1
from ladderboard.metrics.transcripts import CharacterErrorRate, WordErrorRate
from ladderboard.metrics.translations import Bleu, ChrF

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        # classes
        ErrorRate(),
        Accuracy(),
        BalancedAccuracy(),
        F1(),
        MacroF1(),
        MatthewsCorrelation(),
        QuadraticKappa(),
        # class probabilities
        LogLoss(),
        Log10Loss(),
        BrierScore(),
        # scores of two classes
        Auc(),
        AveragePrecision(),
        # numbers
        MeanSquaredError(),
        RootMeanSquaredError(),
        RootMeanSquaredLogError(),
        MeanAbsoluteError(),
        MeanPercentageError(),
        SymmetricPercentageError(),
        Pinball(),
        RSquared(),
        Pearson(),
        Spearman(),
        Kendall(),
        ConcordanceCorrelation(),
        ProbabilisticConcordanceIndex(noise_sd=1.0),
        # several labels of an item
        MultilabelMicroF1(),
        MultilabelMacroF1(),
        MultilabelSamplesF1(),
        HammingLoss(),
        MeanColumnwiseAuc(),
        # several targets
        MeanColumnwiseRmse(),
        MeanColumnwiseMae(),
        # ranked lists
        NormalisedGain(),
        MeanAveragePrecision(),
        MeanReciprocalRank(),
        RecallAtK(),
        HitRate(),
        # masks
        Dice(),
        IntersectionOverUnion(),
        # texts
        ExactMatch(),
        TokenF1(),
        RougeL(),
        WordErrorRate(),
        CharacterErrorRate(),
        Bleu(),
        ChrF(),
        # survival times
        ConcordanceIndex(),
    )
}


def find_metric(metric: "str | Metric") -> Metric:
    """The metric of that name; a metric is returned as it is.

    >>> find_metric("mse").lower_is_better
    True
    """
    if isinstance(metric, Metric):
        return metric
    if callable(metric):
        raise ParameterError("metric is a function; make it a metric with metric_from_function(f, lower_is_better=…)")
    if metric not in METRICS:
        raise ParameterError(unknown_name("metric", str(metric), METRICS))
    return METRICS[metric]
