"""What every mechanism promises, checked for each entry of MECHANISMS and for variants."""

import json
import math
from dataclasses import FrozenInstanceError, fields, replace
from typing import Never

import numpy as np
import pytest

from ladderboard.core.errors import ParameterError, UndefinedMetricError
from ladderboard.core.records import BASELINE, Evaluation, Release, State
from ladderboard.mechanisms import MECHANISMS
from ladderboard.mechanisms.base import Mechanism
from ladderboard.mechanisms.ladder import Ladder
from ladderboard.mechanisms.rungs import start_rungs, step_rungs
from ladderboard.metrics import METRICS
from tests.contracts.mechanism_cases import EVERY_MECHANISM, fitted, run_through, stream, submit, with_few_replicates
from tests.mechanisms.play import Play

SECTIONS = ("Parameters", "Notation", "Guarantee", "Departures", "Reference")
BOUNDED = [name for name, metric in METRICS.items() if math.isfinite(metric.bounds[1] - metric.bounds[0])]
UNBOUNDED = [name for name in METRICS if name not in BOUNDED]
ALIKE = ("dice", "iou", "map", "mrr", "recall_at_k", "hit_rate", "exact_match", "token_f1", "rouge_l", "chrf", "cer")
"""To a mechanism, which sees no predictions, these are what `ndcg`, `bleu` and `wer` are."""
COARSE = ("ladder", "shaky_ladder")
"""Steps that are fractions of the metric's whole width may be too long for any gain at these sizes."""

every_mechanism = pytest.mark.parametrize("mechanism", EVERY_MECHANISM.values(), ids=EVERY_MECHANISM.keys())
every_class = pytest.mark.parametrize("made", MECHANISMS.values(), ids=MECHANISMS.keys())


def _slow_if_alike(metric: str) -> tuple[pytest.MarkDecorator, ...]:
    return (pytest.mark.slow,) if metric in ALIKE else ()


@every_mechanism
def test_the_same_state_evaluation_and_generator_give_the_same_release(mechanism: Mechanism) -> None:
    given = stream("error_rate")
    run = run_through(mechanism, given, stop=4)
    candidate = given.key.evaluate(given.key.read(given.submissions[5]), submission="x", training_score=0.3)
    first, second = (mechanism.step(run.state, candidate, run.incumbent, np.random.default_rng(99)) for _ in range(2))
    assert first == second


@every_mechanism
def test_a_step_leaves_the_state_it_was_given_unchanged(mechanism: Mechanism) -> None:
    given = stream("error_rate")
    run = run_through(mechanism, given, stop=3)
    before, text = run.state, run.state.to_json()
    submit(run, given.submissions[4])
    assert before.to_json() == text


@every_mechanism
def test_a_run_goes_on_alike_after_its_state_went_through_json(mechanism: Mechanism) -> None:
    given = stream("error_rate")
    straight, interrupted = run_through(mechanism, given), run_through(mechanism, given, stop=5)
    interrupted.state = State.from_json(interrupted.state.to_json())
    for predictions in given.submissions[5:]:
        submit(interrupted, predictions)
    assert interrupted.releases == straight.releases
    assert interrupted.state == straight.state


@pytest.mark.parametrize("metric", ["error_rate", "accuracy", "mse", "auc"])
@pytest.mark.parametrize("mechanism", [one for one in EVERY_MECHANISM.values() if not one.may_fall], ids=repr)
def test_the_board_never_worsens_where_that_is_promised(mechanism: Mechanism, metric: str) -> None:
    given = stream(metric, length=40)
    run = run_through(fitted(mechanism, METRICS[metric]), given)
    losses = [given.key.yardstick.loss(one.board_value) for one in run.releases if one.board_value is not None]
    assert losses == sorted(losses, reverse=True)


@every_mechanism
def test_accuracy_and_error_rate_accept_the_same_submissions(mechanism: Mechanism) -> None:
    if mechanism == Ladder():
        pytest.skip("multiples of a step that does not divide 1 lie differently in [0, 1] and in [−1, 0]")
    given = stream("error_rate", length=30)
    as_errors = run_through(mechanism, given).releases
    as_hits = run_through(mechanism, stream("accuracy", length=30)).releases
    assert [one.accepted for one in as_hits] == [one.accepted for one in as_errors]
    # Our grids start at 0 on the scale, so that mirrored numbers may lie up to a step apart (half a null SE); a score
    # half-way between two roundings may go either way; bootstrap averages have six digits.
    is_gridded = mechanism.family == "own"
    tolerance = given.key.yardstick.null_standard_error if is_gridded else getattr(mechanism, "precision", 0.0) + 2e-6
    for hits, errors in zip(as_hits, as_errors, strict=True):
        for told, mirrored in ((hits.value, errors.value), (hits.board_value, errors.board_value)):
            assert (told is None) == (mirrored is None)
            assert told is None or told == pytest.approx(1 - float(mirrored or 0), abs=tolerance)


@every_mechanism
def test_a_release_holds_plain_numbers_and_nothing_else(mechanism: Mechanism) -> None:
    given = stream("error_rate")
    for release in run_through(mechanism, given).releases:
        record = release.to_dict()
        assert set(record) == {
            "value",
            "board_value",
            "accepted",
            "improved",
            "attempt",
            "interval",
            "standard_error",
        }
        assert type(release.accepted) is bool
        assert type(release.improved) is bool
        assert type(release.attempt) is int
        assert all(type(number) in (float, type(None)) for number in (release.value, release.board_value))
        assert Release.from_dict(json.loads(json.dumps(record))) == release
        # The interval tells nothing beyond the number on the board and its standard error.
        if release.board_value is None or not mechanism.has_intervals:
            assert release.interval is None
        else:
            told = release.board_value, release.standard_error
            assert release.interval == mechanism.make_interval(*told, given.key.yardstick)
        assert release.standard_error is None or mechanism.releases_standard_error


@every_mechanism
def test_what_is_told_of_a_budget_can_be_counted_in_the_releases(mechanism: Mechanism) -> None:
    given = stream("error_rate", length=30)
    run = run_through(mechanism, given, stop=0)
    told = [mechanism.tell_budget(run.state)]
    for predictions in given.submissions:
        if mechanism.is_spent(run.state):
            break
        submit(run, predictions)
        told.append(mechanism.tell_budget(run.state))
    assert all((one is not None) == mechanism.has_budget for one in told)
    accepts = np.cumsum([0, *(release.accepted for release in run.releases)])
    for attempts, one in enumerate(told):
        if one is not None:
            assert one.used in (one.total if one.is_spent else None, accepts[attempts])
            assert one.is_spent == (attempts == len(run.releases) and mechanism.is_spent(run.state))


@every_mechanism
def test_what_is_remembered_does_not_grow_with_the_holdout_or_the_attempts(mechanism: Mechanism) -> None:
    short, long = (
        run_through(mechanism, stream("error_rate", n=n, length=length)).state for n, length in ((60, 5), (400, 20))
    )
    assert set(short.memory) == set(long.memory)
    assert len(long.to_json()) < 400


@every_mechanism
def test_attempts_are_counted_from_one_without_gaps(mechanism: Mechanism) -> None:
    run = run_through(mechanism, stream("error_rate"))
    assert [release.attempt for release in run.releases] == list(range(1, len(run.releases) + 1))
    assert run.state.attempts == len(run.releases)
    assert run.state.accepts == sum(release.accepted for release in run.releases)


@every_mechanism
def test_only_an_accepted_submission_is_an_improvement_or_the_incumbent(mechanism: Mechanism) -> None:
    given = stream("error_rate")
    run = Play(mechanism, given.key)
    for predictions in given.submissions:
        before = run.state.incumbent
        release = submit(run, predictions)
        assert release.accepted or not release.improved
        is_reference = mechanism.certifies and release.attempt == 1
        assert run.state.incumbent == (f"s{release.attempt}" if release.accepted or is_reference else before)


@every_mechanism
@pytest.mark.parametrize("earlier", [0, 5])
def test_a_submission_without_a_score_is_charged_and_rejected(mechanism: Mechanism, earlier: int) -> None:
    given = stream("error_rate")
    run = run_through(mechanism, given, stop=earlier)
    before = run.state
    release = run.judge(_without_a_score(given.key.evaluate(given.key.read(given.submissions[-1]))))
    assert (release.accepted, release.improved, release.attempt) == (False, False, earlier + 1)
    assert (run.state.attempts, run.state.accepts) == (earlier + 1, before.accepts)
    assert run.state.incumbent == before.incumbent
    if not getattr(mechanism, "redraw", False):
        repeated = None if mechanism.certifies else before.released
        assert (release.value, release.board_value) == (repeated, before.released)


@pytest.mark.parametrize("title", ["ladder boot, redrawn", "bayes boot ladder boot, redrawn"])
def test_a_submission_without_a_score_gets_fresh_noise_where_every_rejection_does(title: str) -> None:
    given = stream("error_rate")
    run = run_through(EVERY_MECHANISM[title], given, stop=1)
    told = [
        run.judge(_without_a_score(given.key.evaluate(given.key.read(given.submissions[0])))).value for _ in range(5)
    ]
    assert len(set(told)) == 5


@every_class
@pytest.mark.parametrize("metric", [pytest.param(name, marks=_slow_if_alike(name)) for name in BOUNDED])
def test_every_mechanism_works_with_every_bounded_metric(made: type[Mechanism], metric: str) -> None:
    _check_course(made(), metric)


@every_class
@pytest.mark.parametrize("metric", [pytest.param(name, marks=_slow_if_alike(name)) for name in UNBOUNDED])
def test_every_mechanism_works_with_every_unbounded_metric_given_what_it_needs(
    made: type[Mechanism], metric: str
) -> None:
    _check_course(fitted(made(), METRICS[metric]), metric)


@pytest.mark.parametrize(("name", "needed"), [("ladder", "step_size"), ("shaky_ladder", "loss_width")])
@pytest.mark.parametrize("metric", UNBOUNDED)
def test_a_mechanism_that_scales_with_the_bounds_says_what_an_unbounded_metric_needs(
    name: str, needed: str, metric: str
) -> None:
    with pytest.raises(ParameterError, match=needed):
        run_through(MECHANISMS[name](), stream(metric), stop=0)


@every_mechanism
def test_the_meter_starts_at_nothing_and_never_falls(mechanism: Mechanism) -> None:
    given = stream("error_rate")
    run = Play(mechanism, given.key)
    meters = [mechanism.leakage(run.state, given.key.yardstick)]
    for predictions in given.submissions:
        submit(run, predictions)
        meters.append(mechanism.leakage(run.state, given.key.yardstick))
    bits = [meter.bits for meter in meters if meter.bits is not None]
    assert len(bits) == len(meters)
    assert bits[0] == 0
    assert bits == sorted(bits)
    assert math.isfinite(bits[-1])


@every_mechanism
def test_a_mechanism_can_stand_on_the_rungs_of_one_board(mechanism: Mechanism) -> None:
    given = stream("error_rate", length=6)
    if not mechanism.shows_scores:
        with pytest.raises(ParameterError, match="no ranks to hold"):
            start_rungs(mechanism, given.key.baseline, np.random.default_rng(0), ranks=3)
        return
    if mechanism.certifies:
        with pytest.raises(ParameterError, match="a team's own reference"):
            start_rungs(mechanism, given.key.baseline, np.random.default_rng(0), ranks=3)
        return
    board = start_rungs(mechanism, given.key.baseline, np.random.default_rng(0), ranks=3)
    known: dict[str, Evaluation] = {BASELINE: given.key.baseline}
    for attempt, predictions in enumerate(given.submissions):
        candidate = given.key.evaluate(given.key.read(predictions), submission=f"{attempt}", training_score=0.3)
        known[candidate.submission] = candidate
        incumbents = [known[rung.state.incumbent] for rung in board.rungs]
        rng = np.random.default_rng(attempt)
        board, release = step_rungs(
            mechanism, board, candidate, incumbents, rng, team=f"team {attempt}", proven=given.key.baseline
        )
        assert release.attempt == attempt + 1
    assert 1 <= board.accepts <= 6


@every_mechanism
def test_parameters_make_the_same_mechanism_again_also_through_json(mechanism: Mechanism) -> None:
    parameters = json.loads(json.dumps(mechanism.parameters()))
    assert MECHANISMS[mechanism.name](**parameters) == mechanism


@every_class
def test_a_mechanism_is_listed_under_its_own_name_and_cannot_be_changed(made: type[Mechanism]) -> None:
    assert MECHANISMS[made.name] is made
    with pytest.raises((FrozenInstanceError, AttributeError)):
        made().name = "other"  # type: ignore[misc]
    for field in fields(made):
        with pytest.raises(FrozenInstanceError):
            setattr(made(), field.name, None)


@every_class
def test_the_docstring_states_notation_guarantee_departures_and_reference(made: type[Mechanism]) -> None:
    text = made.__doc__ or ""
    places = [text.find(f"\n    {section}\n    {'-' * len(section)}\n") for section in SECTIONS]
    assert -1 not in places, f"missing: {[name for name, at in zip(SECTIONS, places, strict=True) if at < 0]}"
    assert places == sorted(places)


@every_class
def test_the_docstring_names_every_parameter(made: type[Mechanism]) -> None:
    text = (made.__doc__ or "").partition("Parameters\n")[2].partition("Notation\n")[0]
    assert [field.name for field in fields(made) if field.name not in text] == []


def _check_course(mechanism: Mechanism, metric: str) -> None:
    """A run through the metric's stream: numbers within bounds, and what is clearly better got somewhere."""
    given = stream(metric)
    run = run_through(with_few_replicates(mechanism), given)
    low, high = METRICS[metric].bounds
    for release in run.releases:
        for number in (release.value, release.board_value):
            assert number is None or (math.isfinite(number) and low <= number <= high)
    if not mechanism.shows_scores:
        assert run.state.accepts == 0
        return
    assert run.state.accepts >= 1
    assert run.state.released is not None
    if mechanism.name not in COARSE:
        first = given.key.evaluate(given.key.read(given.submissions[0]))
        assert given.key.yardstick.is_better(run.state.released, than=first.score)


def _without_a_score(evaluation: Evaluation) -> Evaluation:
    """The same submission where the metric has no value on the items that count, nor on any part of them."""

    def undefined(*_: object) -> Never:
        raise UndefinedMetricError("no value")

    bare = replace(
        evaluation,
        submission="no score",
        compute_score=undefined,
        compute_contributions=undefined,
        compute_replicates=undefined,
        training_score=0.3,
    )
    return replace(bare, restrict=lambda _: bare)
