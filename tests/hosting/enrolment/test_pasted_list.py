"""Pasted lists of people: what is understood, and what is told with its line."""

import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.server.enrolment.pasted_list import LONGEST_LIST, MOST_PEOPLE, PastedList, read_list, write_list
from ladderboard.server.enrolment.records import Invitee

ADA = Invitee("Ada Lovelace", "ada@example.org")


@pytest.mark.parametrize(
    "text",
    [
        "Ada Lovelace <ada@example.org>",
        '"Ada Lovelace" <ada@example.org>',
        "Ada Lovelace, ada@example.org",
        "ada@example.org; Ada Lovelace;",
        "Ada\tLovelace\tada@example.org\n\n",
        "\ufeffEmail address,Group,First name,Last name\r\nada@example.org,7,Ada,Lovelace\r\n",
        "Surname;Given name;E-mail\nLovelace;Ada;ada@example.org",
        "name\temail\n  Ada  Lovelace\t ada@example.org ",
    ],
)
def test_a_line_is_understood_as_mail_programs_and_spreadsheets_write_it(text: str) -> None:
    read = read_list(text)
    assert read.people == (ADA,)
    assert read.problems == ()


def test_a_line_may_have_an_address_or_a_name_alone() -> None:
    read = read_list("ada@example.org\nGrace Hopper\n王小明")
    assert read.people == (
        Invitee(None, "ada@example.org"),
        Invitee("Grace Hopper", None),
        Invitee("王小明", None),
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ada@", "is not an email address"),
        ("ada@example", "is not an email address"),
        ("Ada <ada at example.org>", "is not an email address"),
        ("ada@example.org\x00", "is not an email address"),
        ("ada.example.org", "looks like an address without an @"),
        ("ada@example.org, bob@example.org", "has two addresses"),
        ("12345", "is not a name"),
        ("Ada\u202e Eve", "is not a name"),
        (f"{'a' * 65}@example.org", "is too long"),
        ("x" * 101, "has 101 characters"),
        (" " * 90_000 + "<" + '"' * 200_000, "has 200,001 characters"),
        ("a," * 70_000 + '"', "characters"),
        ("GRACE@example.org", "is on line 1 already"),
    ],
)
def test_a_bad_line_is_told_by_its_number_and_the_others_are_kept(line: str, told: str) -> None:
    read = read_list(f"grace@example.org\n\n{line}\nmary@example.org")
    assert [one.address for one in read.people] == ["grace@example.org", "mary@example.org"]
    [problem] = read.problems
    assert problem.line == 3
    assert told in problem.message


def test_a_list_that_is_written_is_read_as_the_same_people() -> None:
    people = (ADA, Invitee("Lovelace, Ada", None), Invitee(None, "x@example.org"), Invitee("A; B", "y@example.org"))
    assert read_list(write_list(people)) == PastedList(people, ())


def test_no_line_break_can_hide_in_an_address() -> None:
    for sign in ("\n", "\r", "\x0b", "\x0c", "\x85", "\u2028"):
        for one in read_list(f"Ada <ada@example.org{sign}Bcc: eve@example.org>").people:
            assert one.address is None or one.address.isprintable()
            assert one.name is None or one.name.isprintable()


def test_a_list_that_is_too_long_is_refused_as_a_whole() -> None:
    with pytest.raises(ParameterError, match="at most 2,000"):
        read_list("\n".join(f"p{i}@example.org" for i in range(MOST_PEOPLE + 1)))
    with pytest.raises(ParameterError, match="characters"):
        read_list("x" * (LONGEST_LIST + 1))
