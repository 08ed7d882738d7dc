"""Every mechanism declares every trait, each trait is true, and nothing else knows a mechanism by its name."""

import ast
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import IntArray
from ladderboard.mechanisms import DEFAULT_MECHANISM, MECHANISMS
from ladderboard.mechanisms.base import Family, Mechanism
from ladderboard.mechanisms.ladder import Ladder
from ladderboard.mechanisms.participant_words import ParticipantWords
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey
from tests.contracts.mechanism_cases import EVERY_MECHANISM, Stream, run_through, stream, submit
from tests.contracts.names_in_code import ROOT, list_sources, names_in, place_of
from tests.contracts.templates.mechanism import PatientLadder
from tests.mechanisms.play import Play, key_of, wrong_on

TRAITS = tuple(name for name in Mechanism.__annotations__ if not hasattr(Mechanism, name))
"""What the base class announces without a default."""

every_class = pytest.mark.parametrize("made", MECHANISMS.values(), ids=MECHANISMS.keys())
every_mechanism = pytest.mark.parametrize("mechanism", EVERY_MECHANISM.values(), ids=EVERY_MECHANISM.keys())


def missing_traits(made: type[Mechanism]) -> list[str]:
    """The traits that neither the class nor a base of several mechanisms declares."""
    bases = [one for one in made.__mro__ if issubclass(one, Mechanism) and one is not Mechanism]
    return [trait for trait in TRAITS if not any(trait in vars(one) for one in bases)]


# -- they are declared -------------------------------------------------------------------------------------------------


def test_there_are_traits_and_the_base_has_no_default_for_them() -> None:
    assert {"name", "label", "promise", "words", "may_fall", "is_noisy", "needs_training_score", "variants"} <= {
        *TRAITS
    }
    assert "alternative" not in TRAITS


@every_class
def test_every_trait_is_declared(made: type[Mechanism]) -> None:
    assert missing_traits(made) == []


@pytest.mark.parametrize("trait", TRAITS)
def test_a_mechanism_that_lacks_a_trait_is_refused_with_its_name(trait: str) -> None:
    kept = {
        name: value for name, value in vars(PatientLadder).items() if name not in (trait, "__dict__", "__weakref__")
    }
    lacking = type("LackingLadder", (Mechanism,), kept)
    assert missing_traits(lacking) == [trait]
    assert missing_traits(PatientLadder) == []


@every_class
def test_names_labels_and_variants_are_nobody_elses(made: type[Mechanism]) -> None:
    for other in MECHANISMS.values():
        if other is not made:
            assert made.label != other.label
            assert made.words.title != other.words.title
            assert not {*made.variants} & {*other.variants}


@every_class
def test_participants_read_words_about_every_part(made: type[Mechanism]) -> None:
    for field in fields(ParticipantWords):
        value = getattr(made.words, field.name)
        if field.name == "parameters":
            continue
        texts = value if isinstance(value, tuple) else (value,)
        assert texts
        assert all(isinstance(text, str) and text for text in texts)


@every_class
def test_every_parameter_is_explained_to_participants(made: type[Mechanism]) -> None:
    assert {*made.words.parameters} == {field.name for field in fields(made)}
    assert all(text and not text.endswith(".") for text in made.words.parameters.values())


@every_class
def test_the_family_is_a_known_one_and_the_promise_one_line(made: type[Mechanism]) -> None:
    assert made.family in get_args(Family)
    assert made.promise
    assert "\n" not in made.promise


@every_class
def test_variants_are_made_for_the_size_of_a_board(made: type[Mechanism]) -> None:
    found = made.make_variants(items=400, submissions=1000)
    assert set(found) == set(made.variants)
    assert all(type(one) is made for one in found.values())


@every_class
def test_there_is_a_theory_page(made: type[Mechanism]) -> None:
    assert (ROOT / "docs" / "theory" / f"{made.name}.md").is_file()


# -- they are true -----------------------------------------------------------------------------------------------------


@every_mechanism
def test_a_baseline_to_start_from_goes_with_a_test_of_the_entry(mechanism: Mechanism) -> None:
    run = Play(mechanism, key_of(240))
    assert mechanism.starts_from_baseline == (run.state.released is not None)
    test = mechanism.entry_test()
    assert mechanism.starts_from_baseline == (test is not None)
    assert test is None or (0 < test.share <= 1 and 0 < test.alpha < 1)


@every_mechanism
def test_a_training_score_is_asked_for_where_it_is_needed(mechanism: Mechanism) -> None:
    run = Play(mechanism, key_of(240))
    if not mechanism.needs_training_score:
        run.submit(wrong_on(240, range(40)))
        return
    with pytest.raises(ParameterError, match="training set"):
        run.submit(wrong_on(240, range(40)))


@every_class
def test_an_attempt_that_changes_nothing_gets_a_number_of_its_own_where_that_is_said(made: type[Mechanism]) -> None:
    run = run_through(made(), stream("error_rate", length=40))
    rejected = [release for release in run.releases if not release.accepted]
    assert rejected
    has_own = any(release.value not in (None, release.board_value) for release in rejected)
    assert has_own == made.tells_every_attempt


@every_class
def test_without_a_certificate_nothing_is_told_where_that_is_said(made: type[Mechanism]) -> None:
    run = run_through(made(), stream("error_rate", length=40))
    rejected = [release for release in run.releases if not release.accepted]
    first = run.releases[0]
    tells_nothing = all(one.value is None for one in rejected) and first.board_value is None and not first.accepted
    assert tells_nothing == (made.certifies or not made.shows_scores)


@every_class
def test_releases_have_numbers_where_scores_are_shown_and_depend_on_no_label_elsewhere(made: type[Mechanism]) -> None:
    given = stream("error_rate")
    labels = np.random.default_rng(8).integers(0, 2, given.key.units)
    releases = run_through(made(), given).releases
    assert any(one.value is not None for one in releases) == made.shows_scores
    other = run_through(made(), Stream(AnswerKey(labels, METRICS["error_rate"]), given.submissions)).releases
    assert (releases == other) == (not made.shows_scores)


@every_class
def test_without_a_gate_the_board_shows_the_best_raw_score(made: type[Mechanism]) -> None:
    given = stream("error_rate", length=40)
    run = run_through(made(), given)
    raw = [given.key.evaluate(given.key.read(one)).score for one in given.submissions[: len(run.releases)]]
    best = np.minimum.accumulate(raw)
    shows_it = all(
        one.board_value is not None and abs(one.board_value - score) <= 1e-5
        for one, score in zip(run.releases, best, strict=True)
    )
    assert shows_it == (not made.has_gate)


QUIET = [one for one in EVERY_MECHANISM.values() if one.shows_scores and not one.is_noisy and one != Ladder()]
"""With scores, without noise, and with steps that are not too long for any gain at these sizes."""


@pytest.mark.parametrize("mechanism", QUIET, ids=repr)
def test_improved_is_harder_to_hear_after_many_attempts_where_that_is_corrected_for(mechanism: Mechanism) -> None:
    given = stream("error_rate", n=2000, length=2)
    run = Play(mechanism, given.key)
    submit(run, wrong_on_share(given.key.units, 0.30))
    assert run.state.accepts == (0 if mechanism.certifies else 1)
    better = given.key.evaluate(given.key.read(wrong_on_share(given.key.units, 0.24)), submission="x")
    said = []
    for attempts in (1, 10**60):  # and as many tests that failed
        state = replace(run.state, attempts=attempts, failed=attempts - 1)
        said.append(mechanism.step(state, better, run.incumbent, np.random.default_rng(1))[1])
    assert said[0].improved
    assert said[1].improved == (not mechanism.corrects_for_attempts)


def wrong_on_share(n: int, share: float) -> IntArray:
    """Predictions for the stream's labels that are wrong on a share of all items, spread over both halves."""
    codes = (np.arange(n) % 5 < 2).astype(np.intp)
    wrong = np.random.default_rng(5).permutation(n)[: round(share * n)]
    codes[wrong] = 1 - codes[wrong]
    return codes


def test_the_alternative_of_the_default_needs_no_halves() -> None:
    assert DEFAULT_MECHANISM.alternative is not None
    run = Play(DEFAULT_MECHANISM.alternative(), key_of(20))
    assert run.mechanism.list_parts(run.state, key_of(20).baseline) == ()
    halves = Play(DEFAULT_MECHANISM(), key_of(20))
    assert len(halves.mechanism.list_parts(halves.state, key_of(20).baseline)) == 2


# -- nothing else knows a mechanism by its name ------------------------------------------------------------------------

KNOWN = {*MECHANISMS, *(name for made in MECHANISMS.values() for name in made.variants)}
DEFAULTS = {
    "ladderboard/cli/lab/attack.py": "the default of an option",
    "ladderboard_lab/planning/submissions.py": "the default of a parameter",
    "ladderboard/server/db/migrations/versions/0005_write_down_the_share_of_the_gate.py": "a default that was",
}
NAMES_THE_LADDER = "ladderboard/analysis/records_audit.py"
"""It computes the Ladder from scores alone, and so shows its name."""


def test_nothing_outside_mechanisms_and_experiments_is_keyed_by_a_mechanisms_name() -> None:
    found = {place for path in list_sources(but=("mechanisms", "experiments")) for place in names_in(path, KNOWN)}
    assert found == set(DEFAULTS)


def test_nothing_but_the_public_face_imports_a_single_mechanism() -> None:
    found = {place for path in list_sources(but=("mechanisms", "experiments")) for place in imports_in(path)}
    assert found == {NAMES_THE_LADDER}  # the public face is a stub: `ladderboard/__init__.pyi`


def test_no_template_knows_a_mechanism_by_its_name() -> None:
    for path in (ROOT / "src").rglob("*.html"):
        text = path.read_text()
        assert not [name for name in MECHANISMS if f'"{name}"' in text or f"'{name}'" in text]


def test_a_name_used_as_a_key_would_be_found(tmp_path: Path) -> None:
    path = tmp_path / "keyed.py"
    path.write_text('"""About the witness_ladder."""\nWORDS = {"witness_ladder": "cautious"}\n')
    assert list(names_in(path, KNOWN)) == [path.as_posix()]
    path.write_text('"""witness_ladder"""\nfrom ladderboard.mechanisms.ladder import Ladder\n')
    assert list(names_in(path, KNOWN)) == []
    assert list(imports_in(path)) == [path.as_posix()]


def imports_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").removeprefix("ladderboard.mechanisms.") in MECHANISMS
        ):
            yield place_of(path)
