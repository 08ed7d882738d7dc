"""What may be a name, and when two are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladderboard.core.errors import ParameterError
from ladderboard.server.people.names import name_key, normalize_name


@pytest.mark.parametrize(
    ("given_name", "why"),
    [
        ("", "too short"),
        ("a", "too short"),
        ("a" * 41, "too long"),
        ("  a  ", "too short"),
        ("..", "no letter"),
        ("a/b", "slash"),
        ("a\\b", "slash"),
        ("ada\x00", "invisible"),
        ("ada\nlovelace", "invisible"),
        ("ada\u202eecalevol", "invisible"),
        ("ada\u200b", "invisible"),
        ("ada\u2028x", "invisible"),
        ("a" + "\u0336" * 4, "marks"),
        ("\ufdfa" * 39, "too long"),
    ],
)
def test_what_is_no_name_is_refused_with_the_reason(given_name: str, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        normalize_name(given_name)


@pytest.mark.parametrize("name", ["Ada", "Team 7", "Zoë", "李雷", "Нина К.", "R&D (Bonn)", "मोहन", "=SUM(A1)", "50 %"])
def test_people_and_teams_may_be_called_so(name: str) -> None:
    assert normalize_name(name) == name


@given(st.text(max_size=60))
def test_a_name_that_is_taken_is_stable(text: str) -> None:
    try:
        name = normalize_name(text)
    except ParameterError:
        return
    assert normalize_name(name) == name
    # Blanks are collapsed after normalization, which may make some: "¸" becomes a blank and a combining cedilla.
    assert name_key(name) == " ".join(part for part in name_key(text).split(" ") if part)
    assert name_key(name_key(name)) == name_key(name)
    assert 2 <= len(name) <= 40
    name.encode()
