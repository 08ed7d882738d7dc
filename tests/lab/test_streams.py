"""Honest streams are what they say: classifiers with these true losses, alike in the way their kind says."""

from itertools import pairwise

import numpy as np
import pytest

from ladderboard_lab.problems.streams import STREAMS, improving, realistic, stagnating

N = 20_000


def seed(number: int = 0) -> np.random.SeedSequence:
    return np.random.SeedSequence(number)


@pytest.mark.claim
@pytest.mark.parametrize("name", STREAMS)
def test_classifiers_err_as_often_as_their_true_loss_says(name: str) -> None:
    # 40 classifiers, each within 4.5 standard errors of a binomial proportion: false alarms below 1 in 3,000.
    stream = STREAMS[name].draw(seed(1), n=N, length=40)
    for predictions, loss in zip(stream.submissions(), stream.true_losses, strict=True):
        assert abs(np.mean(predictions != stream.labels) - loss) < 4.5 * np.sqrt(loss * (1 - loss) / N)


def test_a_nested_classifier_errs_where_every_worse_one_errs_too() -> None:
    stream = STREAMS["nested"].draw(seed(2), n=2000, length=20)
    errors = [predictions != stream.labels for predictions in stream.submissions()]
    assert all((better <= worse).all() for worse, better in pairwise(errors))


@pytest.mark.claim
@pytest.mark.parametrize(("name", "low", "high"), [("independent", -0.03, 0.03), ("correlated", 0.6, 0.8)])
def test_errors_of_two_classifiers_are_correlated_as_their_kind_says(name: str, low: float, high: float) -> None:
    # Latent correlation .9 at losses of .30 and .29 is .71 between the errors (Owen's T); standard error .007.
    stream = STREAMS[name].draw(seed(3), n=N, length=13)
    first, second, *_ = (predictions != stream.labels for predictions in stream.submissions())
    assert low < np.corrcoef(first, second)[0, 1] < high


def test_a_stream_can_be_read_twice_and_depends_on_its_seed() -> None:
    stream, other = (STREAMS["correlated"].draw(seed(number), n=100, length=5) for number in (4, 5))
    once, again = (np.array(list(stream.submissions())) for _ in range(2))
    assert np.array_equal(once, again)
    assert not np.array_equal(once, np.array(list(other.submissions())))


def test_teams_take_turns_and_differ_in_how_far_they_come() -> None:
    stream = STREAMS["teams"].draw(seed(6), n=100, length=200, start=0.3, end=0.2)
    assert stream.teams[:21].tolist() == [*range(20), 0]
    last = stream.true_losses[-20:]
    assert len(set(last.tolist())) == 20
    assert ((last >= 0.2) & (last <= 0.3)).all()
    assert (stream.true_losses[:20] == 0.3).all()


def test_courses_go_from_the_start_to_the_end() -> None:
    rng = np.random.default_rng(7)
    assert improving(rng, 5, 0.3, 0.1).tolist() == pytest.approx([0.3, 0.25, 0.2, 0.15, 0.1])
    stalled = stagnating(rng, 100, 0.3, 0.1)
    assert stalled[0] == 0.3
    assert (stalled[34:] == 0.1).all()
    assert (np.diff(stalled) <= 0).all()
    trials = realistic(rng, 1000, 0.3, 0.1)
    assert trials.min() == pytest.approx(0.1)
    assert trials.max() <= 0.5
    # A tenth are new bests, the others mostly setbacks: fewer than half of the steps go down.
    assert 0.02 < np.mean(trials <= np.minimum.accumulate(trials)) < 0.2
