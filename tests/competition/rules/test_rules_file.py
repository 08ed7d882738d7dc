"""competition.toml: every key, and every way to get one wrong, with its line."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ladderboard.competition import Limits, TeamRules, load_competition
from ladderboard.core.errors import CompetitionError
from tests.competition.folders import TOML, errors, inspect, only, write_folder

EVERY_KEY = """\
title = "Whales"
slug = "big-whales"
summary = "By their song"
metric = "accuracy"
board = "rank"
ranks = 5
time_zone = "Europe/Berlin"
opens = 2027-01-01T09:00:00
deadline = "2027-07-01T00:00:00"
reveal = 2027-07-02T00:00:00Z
finals = 3
late_submissions = true
publish_submissions = true
publish_solution = true
visibility = "unlisted"

[mechanism]
name = "spending_ladder"
alpha = 0.1

[limits]
per_day = "none"
total = 100
leakage_bits = 250
max_file_mb = 1.5

[teams]
largest = 3
merging = false
merge_until = 2027-06-01T00:00:00

[solution]
id = "id"
label = "label"
usage = "Usage"
predictions = ["guess"]
"""


def test_every_key_is_read(tmp_path: Path) -> None:
    competition = load_competition(write_folder(tmp_path, EVERY_KEY))
    rules = competition.rules
    assert (rules.slug, rules.summary, rules.instances, rules.ranks) == ("big-whales", "By their song", "rank", 5)
    assert rules.opens == datetime(2027, 1, 1, 8, tzinfo=UTC)
    assert rules.deadline == datetime(2027, 6, 30, 22, tzinfo=UTC)
    assert rules.reveal == datetime(2027, 7, 2, tzinfo=UTC)
    assert rules.limits == Limits(None, 100, 250.0, 1536 << 10)
    assert rules.teams == TeamRules(3, False, datetime(2027, 5, 31, 22, tzinfo=UTC))
    assert (rules.finals, rules.late_submissions, rules.publish_submissions) == (3, True, True)
    assert (rules.visibility, rules.time_zone) == ("unlisted", "Europe/Berlin")
    assert competition.mechanism.parameters()["alpha"] == 0.1
    assert competition.format.prediction_columns == ("guess",)


def test_what_is_not_said_has_its_default(tmp_path: Path) -> None:
    rules = load_competition(write_folder(tmp_path / "wales-2027", 'title = "W"\nmetric = "accuracy"')).rules
    assert (rules.slug, rules.mechanism, rules.reveal) == ("wales-2027", "witness_ladder", "by hand")
    assert rules.limits == Limits()
    assert rules.teams == TeamRules()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('titel = "x"', "competition.toml:4: there is no key 'titel'; did you mean 'title'?"),
        ("finals = 0", "competition.toml:4: finals is 0; it must be a whole number, at least 1"),
        ("finals = true", "competition.toml:4: finals is True; it must be a whole number, at least 1"),
        ("late_submissions = 1", "competition.toml:4: late_submissions is 1; it must be true or false"),
        ('board = "tem"', "competition.toml:4: board is 'tem'; it must be one of 'team', 'rank'; did you mean 'team'?"),
        ("summary = 3", "competition.toml:4: summary is 3; it must be text in quotes"),
        ('visibility = "hidden"', "competition.toml:4: visibility is 'hidden'; it must be one of 'public', "),
        ('time_zone = "Europe/Berln"', "there is no time zone 'Europe/Berln'; did you mean Europe/Berlin?"),
        ("deadline = 2027-01-01", "deadline: 2027-01-01 is a day; give the time of day too"),
        ('deadline = "soon"', "competition.toml:4: deadline: 'soon' is not a time like 2027-03-01T18:00:00"),
        ("deadline = 7", "competition.toml:4: deadline: 7 is not a time"),
        ('reveal = "deadline"', "competition.toml:4: reveal = \"deadline\" needs a deadline"),
        ("reveal = 2027-01-01T00:00:00", "a reveal at a set time needs a deadline before it"),
        ('mechanism = "witnes_ladder"', "there is no mechanism 'witnes_ladder'; did you mean witness_ladder?"),
        ("[mechanism]\nname = 'ladder'\nstep = 1", "competition.toml:6: mechanism 'ladder': ladder takes"),
        ('mechanism = "certifier"', "a team's first entry would have no score; take another mechanism"),
        ("[mechanism]\ngate_share = 2", "competition.toml:5: mechanism 'witness_ladder': gate_share is 2"),
        ("[mechanism]\ngate_share = 'x'", "competition.toml:5: gate_share is 'x'; it must be a finite number"),
        ("[limits]\nper_dya = 1", "competition.toml:5: there is no key 'per_dya' in [limits]; did you mean 'per_day'?"),
        ("[limits]\nper_day = 0", 'competition.toml:5: per_day is 0; it must be a whole number, at least 1, or "none"'),
        ("[limits]\nleakage_bits = -1", "competition.toml:5: leakage_bits is -1; it must be a number above 0"),
        ("[limits]\ndeadline = 2027-01-01T00:00:00", "it belongs at the top: move the line above the first [table]"),
        ("limits = 3", "competition.toml:4: limits must be a table: write [limits]"),
        ("[teams]\nlargest = 'x'", "competition.toml:5: largest is 'x'"),
        ("[solution]\nlabel = 3", "competition.toml:5: label is 3; it must be a text in quotes, or a list of them"),
        ("[solution]\nlabel = 'lable'", "label = 'lable': solution.csv has no such column; did you mean 'label'?"),
        ("[solution]\npublic_share = 30", "competition.toml:5: public_share is 30; it must lie between 0 and 1"),
        ("[solution]\npredictions = ['a', 'b']", "competition.toml:5: predictions = ['a', 'b']; 1 different name is"),
        ("[solution]\nfile = '../solution.csv'", "../solution.csv: "),
        ("opens = 2027-01-01T00:00:00\ndeadline = 2027-01-01T00:00:00", "competition.toml:5: deadline (2027-01-01 00:"),
        ("deadline = 2027-02-01T00:00:00\nreveal = 2027-01-01T00:00:00", "reveal (2027-01-01 00:00:00+00:00) must not"),
        ('time_zone = "Europe/Berlin"\nopens = 2027-03-28T02:30:00', "does not exist in this time zone"),
        ('time_zone = "Europe/Berlin"\nopens = 2027-10-31T02:30:00', "occurs twice in this time zone"),
    ],
)  # fmt: skip
def test_a_wrong_key_is_told_with_its_line_and_a_remedy(tmp_path: Path, line: str, sentence: str) -> None:
    found = errors(inspect(tmp_path, TOML + line))
    assert len(found) == 1, found
    assert sentence in found[0]


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ('slug = "x"\nmetric = "accuracy"', "competition.toml: title is missing"),
        ('title = "x"\nslug = "x"', "competition.toml: metric is missing"),
        ('title = "x"\nslug = "x"\nmetric = ""', "competition.toml:3: metric is missing"),
        ('title = "x"\nslug = "My whales!"\nmetric = "accuracy"', 'competition.toml:2: slug is \'My whales!\'; it is'),
        ('title = "x"\nslug = "x"\nmetric = "acuracy"', "competition.toml:3: metric 'acuracy': there is no metric"),
        ('title = "x"\nslug = "x"\n[metric]\nquantile = 1', "competition.toml:3: name is missing in [metric]"),
        ('title = "x"\nslug = "x"\n[metric]\nname = "mse"\nq = 1', "metric 'mse': it takes no options; given: q"),
        ('title = "x"\nslug = "x"\n[metric]\nname = "pinball"\nquantil = 1', "no option 'quantil'; did you mean"),
        ('title = "x"\nslug = "x"\n[metric]\nname = "pinball"\nquantile = 2', "competition.toml:5: metric 'pinball'"),
        ('title = "x"\nslug = "x"\nmetric = "c_index"', "c_index needs two label columns"),
        ('title = \n', "competition.toml:1: this is not TOML: Invalid value"),
        ('title = "x"\ntitle = "y"', "competition.toml:2: this is not TOML: Cannot overwrite a value"),
    ],
)  # fmt: skip
def test_what_is_missing_or_does_not_parse_is_told(tmp_path: Path, toml: str, sentence: str) -> None:
    found = errors(inspect(tmp_path, toml))
    assert len(found) == 1, found
    assert sentence in found[0]


def test_a_folders_name_that_is_no_slug_asks_for_one(tmp_path: Path) -> None:
    found = inspect(tmp_path / "My Whales", 'title = "W"\nmetric = "accuracy"')
    assert 'such as slug = "my-whales"' in only(found).message


def test_all_problems_come_at_once_in_one_error(tmp_path: Path) -> None:
    toml = 'slug = "x"\nmetric = "aucc"\nfinals = 0\n[limits]\nper_day = -1\nnothing = 2\n'
    write_folder(tmp_path, toml, "id,label,Usage\n1,a,Public\n1,b,Pubic\n")
    with pytest.raises(CompetitionError, match="has 7 problems") as raised:
        load_competition(tmp_path)
    assert raised.value.code == "bad_competition"
    assert len(raised.value.problems) == 7
    for place in ("competition.toml:2:", "competition.toml:6:", "solution.csv:3:"):
        assert place in str(raised.value)


def test_a_missing_folder_or_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(CompetitionError, match="there is no such folder"):
        load_competition(tmp_path / "nowhere")
    (tmp_path / "description.md").write_text("x")
    with pytest.raises(CompetitionError, match="the file is missing; `ladderboard new` writes one"):
        load_competition(tmp_path)


def test_a_file_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "competition.toml").write_bytes('title = "Wäle"'.encode("latin-1"))
    (tmp_path / "description.md").write_bytes("Wäle".encode("latin-1"))
    with pytest.raises(CompetitionError) as raised:
        load_competition(tmp_path)
    assert [str(problem).split(";")[0] for problem in raised.value.problems] == [
        "competition.toml: the file is not UTF-8 text",
        "description.md: the file is not UTF-8 text",
    ]


def test_lines_are_found_past_multi_line_text_and_comments(tmp_path: Path) -> None:
    toml = 'title = "W"\nslug = "w"\nmetric = "accuracy"\nsummary = """\nfinals = 0\n"""\n# finals = 0\nfinals = 0\n'
    assert only(inspect(tmp_path, toml)).line == 8


def test_the_keys_of_an_inline_table_have_the_line_of_the_table(tmp_path: Path) -> None:
    found = only(inspect(tmp_path, TOML + "limits = { per_day = 0 }\n"))
    assert (found.line, found.message.startswith("per_day is 0")) == (4, True)


def test_a_seed_that_can_be_guessed_is_warned_of(tmp_path: Path) -> None:
    solution = "\n".join(line.rsplit(",", 1)[0] for line in _rows())
    found = only(inspect(tmp_path, TOML + "[solution]\npublic_share = 0.5\nsplit_seed = 7\n", solution))
    assert found.is_warning
    assert "split_seed has only 1 characters: anybody who guesses it knows which rows are public" in found.message


def test_times_in_summer_and_winter_are_in_the_zone(tmp_path: Path) -> None:
    zone = 'time_zone = "America/New_York"\nopens = 2027-01-15T00:00:00\ndeadline = 2027-07-15T00:00:00\n'
    rules = load_competition(write_folder(tmp_path, TOML + zone)).rules
    assert rules.opens == datetime(2027, 1, 15, 5, tzinfo=UTC)
    assert rules.deadline == datetime(2027, 7, 15, 4, tzinfo=UTC)
    assert str(rules.zone()) == "America/New_York"


def _rows() -> list[str]:
    from tests.competition.folders import solution_csv

    return solution_csv().splitlines()


def test_submissions_without_the_solution_are_no_replay(tmp_path: Path) -> None:
    rules = f"publish_submissions = true\npublish_solution = false\n{TOML}"
    assert "which needs the solution" in only(inspect(tmp_path, rules)).message


@pytest.mark.parametrize(
    ("rules", "is_warned"),
    [("", True), ("publish_solution = false\n", False), ('reveal = "never"\n', False)],
)
def test_late_submissions_measure_nothing_once_the_solution_is_public(
    tmp_path: Path, rules: str, is_warned: bool
) -> None:
    found = inspect(tmp_path, f"late_submissions = true\n{rules}{TOML}").findings
    assert any("measures nothing" in str(one) for one in found) is is_warned
