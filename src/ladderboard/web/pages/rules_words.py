"""A competition's rules in plain words, made from what the software does."""

from dataclasses import dataclass
from datetime import datetime

from ladderboard.competition import Rules
from ladderboard.web.pages.faults import Link
from ladderboard.web.pages.mechanism_words import title_of, words_of
from ladderboard.web.pages.scene import Scene, metric_title
from ladderboard.web.text import moment, size

BOARD = (
    "The board is made from released numbers only. Equal numbers share a rank: 1, 2, 2, 4. Time orders the "
    "display of "
    "equals and decides nothing.",
    "Beside its rank every team has its plausible ranks: those that it may truly have, given the released "
    "numbers and "
    "the size of the test set. They hold for all teams at once, with 95 % confidence.",
)


@dataclass(frozen=True)
class Section:
    """A heading and its sentences."""

    title: str
    sentences: tuple[str, ...]
    link: Link | None = None


def rules_in_words(scene: Scene) -> tuple[Section, ...]:
    """All sections, in the order in which a participant asks for them."""
    rules = scene.hosted.rules
    return (
        Section("When", _when(scene, rules)),
        Section("How often", (attempts_in_words(rules).capitalize() + ".", *_how_often(rules))),
        Section("What counts", _what_counts(scene)),
        Section("What you are told", *_what_is_told(rules)),
        Section("The board", BOARD),
        Section("The end", _the_end(scene, rules)),
        Section("Teams", _teams(scene, rules)),
        Section("Trust", _trust(rules)),
    )


def attempts_in_words(rules: Rules) -> str:
    """The limits of a team.

    >>> attempts_in_words(Rules("a", "A", "auc", "ladder"))
    '5 attempts a day'
    """
    limits = rules.limits
    a_day = None if limits.per_day is None else f"{limits.per_day} {_attempts(limits.per_day)} a day"
    in_all = None if limits.total is None else f"{limits.total} in all"
    return ", ".join(part for part in (a_day, in_all) if part) or "as many attempts as you like"


def _attempts(count: int) -> str:
    return "attempt" if count == 1 else "attempts"


def _when(scene: Scene, rules: Rules) -> tuple[str, ...]:
    said = []
    if rules.opens is not None:
        said.append(f"Submissions are scored from {_shown(scene, rules.opens)}.")
    if rules.deadline is None:
        said.append("There is no deadline.")
    else:
        said.append(f"The deadline is {_shown(scene, rules.deadline)}. In time is what arrived in time.")
        late = "Later submissions are scored apart and are not comparable." if rules.late_submissions else ""
        said.append(late or "Later submissions are not scored.")
    return tuple(said)


def _how_often(rules: Rules) -> tuple[str, ...]:
    said = []
    if rules.limits.per_day is not None:
        said.append(f"A day is a calendar day in the zone {rules.time_zone}; the count begins anew at midnight there.")
    said.append(
        "Attempts belong to the team. A file with a mistake costs nothing; every scored attempt counts, whatever "
        "comes of "
        "it. The same predictions again get the same answer and cost nothing."
    )
    said.append(f"A file has at most {size(rules.limits.max_file_bytes)}.")
    if rules.limits.leakage_bits is not None:
        said.append(
            f"The board counts how much the test set has told to all teams together. At "
            f"{rules.limits.leakage_bits:,.0f} "
            "bits the competition is spent: it says so, and answers no more numbers."
        )
    return tuple(said)


def _what_counts(scene: Scene) -> tuple[str, ...]:
    rules, metric = scene.hosted.rules, scene.hosted.competition.metric
    better = "Lower is better." if metric.lower_is_better else "Higher is better."
    options = ", ".join(f"{name} = {value}" for name, value in rules.metric_options.items())
    return (f"Submissions are scored by {metric_title(rules.metric)}{f' ({options})' if options else ''}. {better}",)


def _what_is_told(rules: Rules) -> tuple[tuple[str, ...], Link]:
    title, words = title_of(rules.mechanism), words_of(rules.mechanism)
    said = [f"Numbers are released by the mechanism {title}." + (f" {words.lead}" if words else "")]
    if rules.instances == "rank":
        said.append(
            f"The board has {rules.ranks} ranks that remember. A submission enters at the first rank that it beats; "
            "what "
            "beats none of them gets no number."
        )
    if rules.mechanism_parameters:
        listed = ", ".join(f"{name} = {value}" for name, value in rules.mechanism_parameters.items())
        said.append(f"Its parameters here: {listed}.")
    return tuple(said), Link(f"About the {title}", f"/mechanisms/{rules.mechanism}")


def _the_end(scene: Scene, rules: Rules) -> tuple[str, ...]:
    if rules.reveal == "never":
        return ("This is a standing benchmark: there is no private board, and the board above is the result.",)
    picks = f"up to {rules.finals} submissions" if rules.finals > 1 else "one submission"
    said = [
        f"The result is the private board, computed once on rows that no score was ever told of. Each team may pick "
        f"{picks} "
        "for it until the deadline. Without a pick, the team's best on the board and its latest count.",
    ]
    if isinstance(rules.reveal, datetime):
        said.append(f"The private board is shown on {_shown(scene, rules.reveal)}.")
    elif rules.reveal == "deadline":
        said.append("The private board is shown as soon as it has been computed after the deadline.")
    else:
        said.append("The organisers show the private board by hand, after the deadline.")
    return tuple(said)


def _teams(scene: Scene, rules: Rules) -> tuple[str, ...]:
    largest = rules.teams.largest
    size_words = "Everybody competes alone." if largest == 1 else f"A team has at most {largest} members."
    said = [f"{size_words} One person is in one team. Leaving a team gives no fresh start."]
    if rules.teams.merging and largest > 1:
        until = rules.teams.merge_until
        by = f" until {_shown(scene, until)}" if until is not None else ""
        said.append(f"Teams may merge{by}: their attempts add up, and the better of their numbers is kept.")
    else:
        said.append("Teams cannot merge.")
    return tuple(said)


def _trust(rules: Rules) -> tuple[str, ...]:
    said = [
        "Before the first submission a commitment to the labels, the split, the mechanism and its seed was "
        "published. Every "
        "submission and every decision is an entry of a chained ledger that anyone can check.",
    ]
    if rules.publish_submissions:
        said.append("After the reveal all submissions are published, so that anyone can compute every number again.")
    else:
        said.append("Submissions are not published. A team can always download its own.")
    return tuple(said)


def _shown(scene: Scene, at: datetime) -> str:
    return moment(scene.in_zone(at))
