"""The outcomes of attempts, by hand: every row of the table, and the words of mechanisms that prove nothing."""

from typing import Any

import pytest

from ladderboard.core.gains import Gains
from ladderboard.core.records import Release
from ladderboard.core.score_format import ScoreFormat
from ladderboard.mechanisms import MECHANISMS, make_mechanism
from ladderboard.mechanisms.outcomes import (
    TITLES,
    Footing,
    Outcome,
    describe_gains,
    describe_outcome,
    describe_repeat,
    find_own_value,
)

SCORES = ScoreFormat(decimals=3)
FOOTING = Footing(value=0.859, incumbent=2, proven=2)
WITH_SCORES = [name for name, mechanism in MECHANISMS.items() if mechanism.shows_scores]
NOT_SHOWN = "The score of a file that is not clearly better is not shown: that keeps the board honest."


def release(value: float | None = 0.859, **more: Any) -> Release:
    told = {"board_value": value, "accepted": False, "improved": False, "attempt": 7, "interval": None}
    return Release(value, **{**told, **more})


def accepted(value: float, *, improved: bool = False) -> Release:
    return release(value, accepted=True, improved=improved)


def told(given: Release, footing: Footing = FOOTING, mechanism: str = "witness_ladder", **more: Any) -> Outcome:
    known: dict[str, Any] = {"lower_is_better": False, "scores": SCORES, **more}
    return describe_outcome(given, footing, mechanism=make_mechanism(mechanism), **known)


@pytest.mark.parametrize(
    ("given", "footing", "gain", "title", "sentence"),
    [
        (
            accepted(0.874, improved=True),
            FOOTING,
            Gains(0.012, 0.03),
            "Improved",
            "Score 0.859 → 0.874. Proven better than your attempt 2.",
        ),
        (
            accepted(0.874, improved=True),
            Footing(value=0.5),
            Gains(0.012, 0.03),
            "Improved",
            "Score 0.500 → 0.874. Proven better than the baseline.",
        ),
        (accepted(0.866), FOOTING, 0.012, "New best", "Score 0.859 → 0.866. May be better; not proven yet."),
        (
            accepted(0.859),
            Footing(value=0.866, incumbent=2, proven=1),
            Gains(0.012, 0.03),
            "Updated",
            "This file replaces attempt 2. Score shown: 0.859 (was 0.866). Not proven better.",
        ),
        (
            accepted(0.859),
            FOOTING,
            Gains(0.012, 0.03),
            "Updated",
            "This file replaces attempt 2. Score shown: 0.859, as before. Not proven better.",
        ),
        (
            accepted(0.5),
            Footing(value=0.5),
            Gains(0.012, 0.03),
            "Updated",
            "This file replaces the baseline. Score shown: 0.500, as before. Not proven better.",
        ),
        (
            release(),
            FOOTING,
            Gains(0.0123, 0.0301),
            "No change",
            f"Your score stays 0.859 (attempt 2). {NOT_SHOWN} "
            "On this test set, a gain of about 0.012 is usually shown, one of about 0.03 usually proven.",
        ),
        (
            release(0.5),
            Footing(value=0.5),
            Gains(0.11, 0.17),
            "No change",
            f"Your score stays 0.500 (the baseline). {NOT_SHOWN} "
            "On this test set, a first score about 0.11 better than the baseline is usually shown, "
            "one about 0.17 better usually proven.",
        ),
        (release(0.5), Footing(value=0.5), None, "No change", f"Your score stays 0.500 (the baseline). {NOT_SHOWN}"),
    ],
)
def test_every_outcome_has_its_word_and_its_sentence(
    given: Release, footing: Footing, gain: Gains | None, title: str, sentence: str
) -> None:
    outcome = told(given, footing, gains=gain)
    assert (outcome.title, outcome.sentence) == (title, sentence)
    assert outcome.title == TITLES[outcome.name]


def test_lower_may_be_better() -> None:
    mechanism = make_mechanism("witness_ladder")
    for before, title in ((0.3, "New best"), (0.1, "Updated")):
        footing = Footing(value=before, incumbent=1)
        known: dict[str, Any] = {"mechanism": mechanism, "lower_is_better": True, "scores": SCORES}
        assert describe_outcome(accepted(0.2), footing, **known).title == title


@pytest.mark.parametrize("name", WITH_SCORES)
def test_only_a_mechanism_that_corrects_for_attempts_says_improved_or_proven(name: str) -> None:
    outcome = told(accepted(0.874, improved=True), mechanism=name)
    assert outcome.sentences[0] == "Score 0.859 → 0.874."
    if MECHANISMS[name].corrects_for_attempts:
        assert outcome.title == "Improved"
    else:
        assert outcome.title == "New best"
        assert "lucky" in outcome.sentence
        assert "proven" not in outcome.sentence.lower()


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_rejected_attempt_has_a_number_of_its_own_only_where_the_mechanism_tells_it(name: str) -> None:
    rejected, mechanism = release(0.8, board_value=0.859), make_mechanism(name)
    assert (find_own_value(rejected, mechanism) is not None) == MECHANISMS[name].tells_every_attempt
    assert find_own_value(accepted(0.8), mechanism) == 0.8


def test_where_every_score_is_shown_a_file_that_is_no_better_hears_its_own() -> None:
    outcome = told(release(0.8, board_value=0.859), mechanism="full_disclosure", gains=Gains(0.1, 0.1))
    assert outcome.title == "No change"
    assert outcome.sentence == "This file scored 0.800. Your score stays 0.859 (attempt 2)."
    redrawing = make_mechanism("thresholdout", redraw=True)
    given = release(0.8, board_value=0.859)
    again = describe_outcome(given, FOOTING, mechanism=redrawing, lower_is_better=False, scores=SCORES)
    assert again.sentence == outcome.sentence


def test_a_number_that_only_its_noise_moved_is_not_said_to_stay() -> None:
    boot = make_mechanism("ladder_boot", redraw=True)
    outcome = describe_outcome(release(0.861), FOOTING, mechanism=boot, lower_is_better=False, scores=SCORES)
    assert outcome.sentences[0] == "Attempt 2 stays your best. New noise was drawn for its score: 0.861 (was 0.859)."


def test_a_first_score_is_compared_with_nothing() -> None:
    outcome = told(accepted(0.7, improved=True), Footing(), mechanism="ladder")
    assert (outcome.title, outcome.sentence) == ("New best", "Score 0.700. This is your first score.")


def test_without_a_number_nothing_is_said_to_stay() -> None:
    nothing = release(None)
    assert told(nothing, Footing(), is_ranked=True).sentence == (
        "This file beats none of the entries on the board, so there is no score for your team yet."
    )
    assert told(nothing, Footing(), "shaky_ladder").sentence == f"No score is shown for your team yet. {NOT_SHOWN}"


def test_a_board_without_scores_says_that_the_file_was_received() -> None:
    silence = "This board shows no scores until the reveal."
    outcome = told(release(None), Footing(), "silent")
    assert (outcome.title, outcome.sentence) == ("Received", silence)
    again = describe_repeat(release(None), Footing(), attempt=1, mechanism=make_mechanism("silent"), scores=SCORES)
    assert again.title == "Received"
    assert again.sentence.endswith(f"no attempt was used. {silence}")


def test_a_late_entry_is_said_to_stand_apart() -> None:
    apart = "It arrived after the deadline: it is scored separately and does not change the board."
    assert told(accepted(0.9), is_late=True).title == "Late"
    assert told(accepted(0.9), is_late=True).sentence == f"{apart} Its score is 0.900, which is not comparable."
    assert told(release(), is_late=True).sentence == f"{apart} {NOT_SHOWN}"


def test_a_repetition_is_called_one_and_improved_only_where_it_is_the_proven_entry() -> None:
    mechanism, repeats = make_mechanism("witness_ladder"), "This repeats attempt 1: the same predictions, so no attempt"
    old = describe_repeat(release(), FOOTING, attempt=1, mechanism=mechanism, scores=SCORES)
    assert (old.title, old.sentence) == ("No change", f"{repeats} was used. Your score stays 0.859 (attempt 2).")
    proven = describe_repeat(accepted(0.859, improved=True), FOOTING, attempt=2, mechanism=mechanism, scores=SCORES)
    assert proven.title == "Improved"
    assert proven.sentence.endswith("Your score stays 0.859 (attempt 2). Attempt 2 is your proven entry.")


def test_gains_are_written_with_two_digits_and_say_which_is_which() -> None:
    assert describe_gains(Gains()) is None
    assert describe_gains(Gains(0.0000212)) == "On this test set, a gain of about 2.1e-05 is usually shown."
    assert describe_gains(Gains(0.1, 0.1)) == "On this test set, a gain of about 0.1 is usually shown and proven."
    assert describe_gains(Gains(reason="nobody knows")) == "On this test set, nobody knows."
    half_known = describe_gains(Gains(0.1, None, "nobody knows the other"))
    assert half_known == "On this test set, a gain of about 0.1 is usually shown; nobody knows the other."
