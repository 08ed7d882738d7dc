"""The personal holdout guard, which records every attempt and reports only proven improvements."""

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy.typing as npt

from ladderboard.core.errors import InputError, ParameterError, PredictionsError
from ladderboard.core.gains import Gains, warn_of_detectable_gain
from ladderboard.core.randomness import derive_generator
from ladderboard.core.records import BASELINE, Evaluation, Leakage, Release, State, Yardstick, repeat_release
from ladderboard.guard.alignment import Alignment
from ladderboard.guard.file import IN_MEMORY, GuardTransaction
from ladderboard.guard.gains import find_gains
from ladderboard.guard.item_scores import ItemList, make_graded, read_item_scores
from ladderboard.guard.notebook import show_holdout
from ladderboard.guard.opening import Opener
from ladderboard.guard.reference import MARGIN, ReferenceAnswer, answer_not_worse, pin_attempt, pin_predictions
from ladderboard.guard.rehearsal import COPIES, NOISE, SERIES, Progress, Rehearsal, rehearse
from ladderboard.guard.settings import read_mechanism
from ladderboard.guard.settled_metric import settle_metric
from ladderboard.guard.warnings import warn_of_fresh_start, warn_of_low_power
from ladderboard.integrations.scikit_learn import HoldoutScorer, make_search_split
from ladderboard.integrations.search_split import SearchSplit
from ladderboard.mechanisms import make_mechanism, refuse_certifying
from ladderboard.mechanisms.base import Mechanism
from ladderboard.mechanisms.outcomes import Footing, tell_outcome
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey, fingerprint
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Array
from ladderboard.metrics.mean_score import MeanScore

if TYPE_CHECKING:
    from ladderboard.guard.graded import GradingHoldout

NO_REFERENCE = (
    "there is nothing to compare with yet; pin the model in use first: holdout.pin(predictions), in a shell "
    "`ladderboard holdout pin`"
)


class Holdout:
    """A holdout set that can be used again and again.

    Parameters
    ----------
    labels
        One label for each item: anything `numpy.asarray` takes, a dict of id → label, or a pandas or polars object.
    metric
        A name in `METRICS`, or a metric.
    mechanism
        A name in `MECHANISMS`, or a mechanism; default: the Witness Ladder, or the one the file was made with.
    path
        The file that keeps attempts across runs; made where it does not exist. ``":memory:"`` or None: kept until
        Python ends (None warns of it).
    seed
        Makes the secret split and all noise repeatable; without it they come from the system's randomness.
    weight, group
        A positive weight for each item; a name for each item, the same for items that belong together.
    ids
        A name for each item, which predictions may come with; by default the index of a pandas object, unless it only
        counts the rows, the keys of a dict, or a frame's column called id, item or item_id.
    positive
        Of two classes the one that scores, probabilities and F1 are about. Needed for a new guard unless the labels are
        0 and 1, no and yes or the like (`metrics.positive`); the file keeps it.

    >>> labels = [0, 1] * 500
    >>> holdout = Holdout(labels, metric="error_rate", path=":memory:", seed=7)
    >>> holdout.score(labels[:700] + [0] * 300)  # doctest: +NORMALIZE_WHITESPACE
    Release(value=0.1484, board_value=0.1484, accepted=True, improved=True, attempt=1,
            interval=(0.1234, 0.1774), standard_error=0.01153)
    >>> holdout.score(labels[:702] + [0] * 298).improved  # one item more is no proof
    False
    >>> holdout.attempts, holdout.best
    (2, 0.1484)
    """

    def __init__(
        self,
        labels: npt.ArrayLike,
        metric: str | Metric = "error_rate",
        mechanism: str | type[Mechanism] | Mechanism | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        seed: int | None = None,
        weight: npt.ArrayLike | None = None,
        group: npt.ArrayLike | None = None,
        ids: Collection[Any] | None = None,
        positive: Any = None,
    ) -> None:
        self._made_from = {"labels": labels, "metric": metric, "weight": weight, "group": group, "ids": ids}
        self._made_from["positive"] = positive
        file = None if path is None or str(path) == IN_MEMORY else Path(path)
        values, self._order = Alignment.read(labels, ids)
        beside = self._order.arrange_beside(weight=weight, group=group)
        self._key = AnswerKey(values, settle_metric(find_metric(metric), values, positive, file), **beside)
        self._order.check_number(len(self))
        graded = ItemList.read(ids, group) if isinstance(self.metric, MeanScore) else None
        opener = Opener(self._key, self._order, graded, mechanism, seed)
        self._guard = opener.open_or_create(file)
        self.mechanism = read_mechanism(self._guard.settings, mechanism)
        self._recalled = {BASELINE: self._key.baseline}
        self._prepare_baseline()
        if path is None:
            warn_of_fresh_start()
        if self.attempts == 0:
            warn_of_low_power(self.mechanism, self._key.baseline)

    @classmethod
    def from_item_scores(
        cls,
        items: Any = None,
        *,
        bounds: tuple[float, float] | None = None,
        lower_is_better: bool | None = None,
        baseline: float | None = None,
        groups: Any = None,
        path: str | os.PathLike[str] | None = None,
        seed: int | None = None,
        mechanism: str | type[Mechanism] | Mechanism | None = None,
    ) -> Self:
        """Guard items that are graded outside: pass or fail, a grade, Dice, ROUGE.

        ``score`` then takes a score within ``bounds`` (default 0 to 1; higher is better unless said) for each item: a
        dict, a pandas Series, a frame with the columns item and score, the path of an evaluation harness's samples or
        of a table, or one system's `LossMatrix`. Items not scored, unknown or out of bounds are refused by name. The
        ``baseline`` to beat first is the worse bound. ``groups``: a name for each item, the same for items that belong
        together. The guard's file keeps the items, so that later runs need only its ``path``.

        >>> exams = Holdout.from_item_scores([f"task {n}" for n in range(500)], path=":memory:", seed=7)
        >>> exams.score({f"task {n}": (n % 5) / 4 for n in range(500)}).value
        0.497
        """
        file = None if path is None or str(path) == IN_MEMORY else Path(path)
        made = make_graded(
            items, file, bounds=bounds, lower_is_better=lower_is_better, baseline=baseline, groups=groups
        )
        return cls(**made, mechanism=mechanism, path=path, seed=seed)

    @classmethod
    def from_grader(
        cls,
        items: Any,
        grader: Any,
        *,
        bounds: tuple[float, float] | None = None,
        lower_is_better: bool | None = None,
        baseline: float | None = None,
        path: str | os.PathLike[str] | None = None,
        seed: int | None = None,
        mechanism: str | type[Mechanism] | Mechanism | None = None,
    ) -> "GradingHoldout":
        """Guard tasks that the guard grades itself; ``score`` then takes the outputs of a system, by task.

        ``items``: objects with an ``id``, perhaps a ``group``, and whatever the grader needs; texts; or a file of JSON
        lines. ``grader``: a function of (item, output) that is called here, or a file that defines ``grade(item,
        output)`` and runs in the sandbox. Both are pinned in the guard's file. Scores lie within ``bounds`` (0 to 1).

        >>> tasks = [{"id": n, "input": f"{n} + {n}", "answer": 2 * n} for n in range(500)]
        >>> sums = Holdout.from_grader(tasks, lambda item, output: output == item["answer"], path=":memory:", seed=7)
        >>> sums.score({n: 2 * n if n % 5 else 0 for n in range(500)}).improved
        True
        """
        from ladderboard.guard.graded import make_grading

        return make_grading(
            items,
            grader,
            bounds=bounds,
            lower_is_better=lower_is_better,
            baseline=baseline,
            path=path,
            seed=seed,
            mechanism=mechanism,
        )

    # -- asking ------------------------------------------------------------------------------------------------------

    def score(
        self,
        predictions: Any,
        *,
        ids: Collection[Any] | None = None,
        training_score: float | None = None,
        client: str | None = None,
    ) -> Release:
        """Score one submission; every new one is an attempt.

        Predictions with ids (a dict, a pandas index, a frame's id column, or ``ids``) are brought into the holdout's
        order; a list or an array is read in that order.

        The same predictions again spend nothing: they get their stored value with the board of today, and "improved"
        only while they are the proven entry. Input that is refused with a `PredictionsError` spends nothing either.
        ``training_score`` is for mechanisms that compare with it, such as Thresholdout; ``client`` is the name under
        which a service counts the attempt.
        """
        p = self._read(predictions, ids)
        submission = fingerprint(p, self._guard.settings.secret).hex()
        candidate = self._key.evaluate(p, submission=submission, training_score=training_score)
        with self._guard.transact() as transaction:
            stored = transaction.find_stored(submission)
            if stored is not None:
                shown = self.mechanism.tell_interval(transaction.state, self._key.yardstick)
                again = repeat_release(stored, submission, transaction.state, shown)
                return self._tell_gain(self._tell_outcome(again, transaction.state.released), transaction.state)
            if self.mechanism.certifies and transaction.state.incumbent == BASELINE:
                raise ParameterError(NO_REFERENCE)
            before = transaction.state.released
            state, release, kept = self._judge(transaction, candidate, p, client)
        # Only now is the attempt on disk; a failed one leaves the old incumbent in place.
        self._recalled = kept
        return self._tell_gain(self._tell_outcome(release, before), state)

    def pin(self, predictions: Any = None, *, attempt: int | None = None, ids: Collection[Any] | None = None) -> None:
        """Pin the reference of `check_not_worse`: predictions, an attempt, or by default the entry on the board.

        Pinning tells nothing and spends nothing. The guard keeps the predictions of the entry on the board and of the
        last proven one; those of other attempts must be given. What is pinned first in a guard that certifies is also
        what `score` compares with until the first certificate.
        """
        if predictions is None:
            pin_attempt(self._guard, attempt)
            return
        p = self._read(predictions, ids)
        with self._guard.transact() as transaction:
            if self.mechanism.certifies and transaction.state.incumbent == BASELINE:
                self._take_reference(transaction, p)
            pin_predictions(transaction, fingerprint(p, self._guard.settings.secret), p)

    def check_not_worse(
        self, predictions: Any, *, margin: float = MARGIN, ids: Collection[Any] | None = None
    ) -> ReferenceAnswer:
        """Ask whether predictions are worse than the pinned reference by less than ``margin``, in the metric's unit.

        It is no attempt: no score is told, and the board does not move. Every new question is counted by the meter and
        makes the next ones harder; the same question again costs nothing. At most one series in 20 ever hears "not
        worse" wrongly, however many questions are asked.
        """
        p = self._read(predictions, ids)
        return answer_not_worse(self._guard, self._key, self.mechanism, p, margin=float(margin))

    def rehearse(
        self,
        *,
        copies: int = COPIES,
        series: int = SERIES,
        noise: float = NOISE,
        mechanism: str | type[Mechanism] | Mechanism | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Rehearsal:
        """Feed throw-away guards with copies of one model and count the false "improved"; spends nothing here.

        See `ladderboard.guard.rehearsal.rehearse`. ``mechanism``: another one than this guard's, to compare.
        """
        chosen = self.mechanism if mechanism is None else make_mechanism(mechanism)
        return rehearse(self._key, chosen, copies=copies, series=series, noise=noise, seed=seed, progress=progress)

    def as_scorer(self) -> HoldoutScorer:
        """Make a scikit-learn scorer for estimators; greater is better, and every call is an attempt."""
        refuse_certifying(self.mechanism, "a search would steer by it")
        return HoldoutScorer(self)

    def search_split(self, X: Any, y: npt.ArrayLike, X_holdout: Any) -> SearchSplit:  # noqa: N803 (scikit-learn's name)
        """Make data, split and scorer of a scikit-learn search: fit on ``X`` and ``y``, score on this holdout.

        ``GridSearchCV(model, grid, **split.settings).fit(split.X, split.y)``; every candidate is an attempt.
        """
        refuse_certifying(self.mechanism, "a search would steer by it")
        return make_search_split(self, X, y, X_holdout)

    # -- what is known so far ----------------------------------------------------------------------------------------

    @property
    def leakage(self) -> Leakage:
        """The information released so far in bits, and the overfit bound it implies."""
        return self._guard.progress()[1]

    @property
    def attempts(self) -> int:
        return self._guard.progress()[0].attempts

    @property
    def best(self) -> float | None:
        """The score on the board: the baseline's until a submission is accepted; None if there is none yet."""
        return self._guard.progress()[0].released

    def history(self) -> list[Release]:
        """List every release in the order of attempts."""
        releases = self._guard.releases()
        shown = [self.find_footing(1).value, *(one.board_value for one in releases)]
        return [self._tell_outcome(one, before) for one, before in zip(releases, shown, strict=False)]

    @property
    def gains(self) -> Gains:
        """The true gains over the score shown that the next attempt would show and prove with 80 % power.

        From public facts alone, so looking at them costs nothing; ``reason`` says why one cannot be said.
        """
        return find_gains(self._guard, self.mechanism, self._guard.progress()[0])

    @property
    def detectable_gain(self) -> float | None:
        """The former name of ``gains.shown``."""
        warn_of_detectable_gain()
        return self.gains.shown

    def find_footing(self, before: int) -> Footing:
        """Find what stood before the attempt of that number: the score shown, whose it was, the last proven entry."""
        footing = self._guard.read_footing(before)
        if before > 1 or not self.mechanism.starts_from_baseline:
            return footing
        return replace(footing, value=self.mechanism.baseline_value(self._key.baseline))

    @property
    def yardstick(self) -> Yardstick:
        """The scale of the holdout: its units, the baseline and the standard error of a score."""
        return self._key.yardstick

    @property
    def metric(self) -> Metric:
        return self._key.metric

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes in sorted order, or the negative before the positive one; empty if labels are not classes."""
        return self._key.classes

    @property
    def positive(self) -> Any:
        """The positive class of two, where the metric has one; else None."""
        return self._key.positive

    @property
    def has_ids(self) -> bool:
        """Whether the items have ids, so that predictions may come in any order with theirs."""
        return self._order.ids is not None

    @property
    def class_columns(self) -> tuple[Any, ...]:
        """The classes, where predictions are their probabilities, in the order of those columns; else empty."""
        return self._key.class_columns or (self._order.columns if self.metric.kind.has_columns else ())

    def __len__(self) -> int:
        """The number of items."""
        return len(self._key)

    def has_labels(self, labels: npt.ArrayLike) -> bool:
        """Whether these are the holdout's labels, in its order."""
        return self._key.has_labels(labels)

    def __repr__(self) -> str:
        where = self._guard.path or "in memory"
        return f"Holdout({len(self)} items, metric={self.metric.name!r}, mechanism={self.mechanism!r}, {where})"

    def _repr_html_(self) -> str:
        return show_holdout(self)

    # -- the guard's file --------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the file. Attempts are safe without it: each is on disk before its release is returned."""
        self._guard.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling for worker processes, which open the same file."""
        if self._guard.path is None:
            raise TypeError("a Holdout in memory cannot be sent to another process; give it a path that both can open")
        return _reopen, (self._made_from, self.mechanism, self._guard.path.absolute())

    def _read(self, predictions: Any, ids: Collection[Any] | None) -> Array:
        """Check predictions and bring them into the holdout's order; depends on no label."""
        if isinstance(self.metric, MeanScore):
            given = read_item_scores(predictions, self.metric)
            arranged = self._order.arrange(given, ids, word="score", needs_ids=True)
        else:
            arranged = self._order.arrange(predictions, ids, classes=self.class_columns)
        try:
            return self._key.read(arranged.values, is_fresh=arranged.is_fresh)
        except InputError as refusal:
            raise self._order.locate(refusal) from None

    def _prepare_baseline(self) -> None:
        """Compute now what a user's slow function would otherwise be called for at the first submission."""
        state = self._guard.progress()[0]
        if self.metric.jackknife_groups is not None and state.incumbent == BASELINE:
            for part in self.mechanism.list_parts(state, self._key.baseline):
                self._key.baseline.on(part).losses  # noqa: B018 (computed, and remembered)

    def _tell_gain(self, release: Release, state: State) -> Release:
        gains = find_gains(self._guard, self.mechanism, state)
        return replace(release, shown_gain=gains.shown, proven_gain=gains.proven)

    def _tell_outcome(self, release: Release, before: float | None) -> Release:
        lower_is_better = self.metric.lower_is_better
        return tell_outcome(release, before=before, mechanism=self.mechanism, lower_is_better=lower_is_better)

    def _judge(
        self, transaction: GuardTransaction, candidate: Evaluation, p: Array, client: str | None = None
    ) -> tuple[State, Release, dict[str, Evaluation]]:
        """Judge and record one attempt; the last is what to remember once it is on disk."""
        incumbent = self._recall(transaction, transaction.state.incumbent)
        proven = self._recall(transaction, transaction.state.proof.submission)
        rng = derive_generator(self._guard.settings.secret, "noise", transaction.state.attempts + 1)
        state, release = self.mechanism.step(transaction.state, candidate, incumbent, rng, proven=proven)
        leakage = self.mechanism.leakage(state, self._key.yardstick)
        transaction.record(candidate.submission, p, release=release, state=state, leakage=leakage, client=client)
        standing = (state.incumbent, state.proof.submission)
        return (
            state,
            release,
            {one.submission: one for one in (candidate, incumbent, proven) if one.submission in standing},
        )

    def _take_reference(self, transaction: GuardTransaction, p: Array) -> None:
        """Make predictions the first attempt of a guard that certifies: what later ones are compared with."""
        submission = fingerprint(p, self._guard.settings.secret).hex()
        state, _, _ = self._judge(transaction, self._key.evaluate(p, submission=submission), p)
        if state.incumbent != submission:
            raise PredictionsError(f"these predictions have no {self.metric.name} on this holdout; pin others")

    def _recall(self, transaction: GuardTransaction, submission: str) -> Evaluation:
        """Get the evaluation of the incumbent or the proven entry; read again only if another process changed it."""
        if submission in self._recalled:
            return self._recalled[submission]
        if submission == BASELINE:
            return self._key.baseline
        return self._key.evaluate(transaction.predictions_of(submission), submission=submission)


def _reopen(made_from: dict[str, Any], mechanism: Mechanism, path: Path) -> Holdout:
    return Holdout(**made_from, mechanism=mechanism, path=path)
