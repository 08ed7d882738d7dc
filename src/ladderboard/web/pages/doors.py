"""Whether somebody may submit now; if not, why not and what to do instead."""

from dataclasses import dataclass
from datetime import datetime

from ladderboard.hosting.quota import Quota
from ladderboard.hosting.status_words import STATUSES
from ladderboard.mechanisms.thresholdout import Thresholdout
from ladderboard.records import Budget
from ladderboard.web.pages.faults import Link
from ladderboard.web.pages.scene import Scene
from ladderboard.web.pages.submission_views import NOTE_LENGTH
from ladderboard.web.text import _, counted, say
from ladderboard.words import said


@dataclass(frozen=True)
class BudgetLine:
    """What is left of a team's own budget, where the mechanism has one."""

    label: str
    value: str
    hint: str


@dataclass(frozen=True)
class Door:
    """The door to submitting. ``at`` is the time that ends the sentence; ``is_over``: it will not open again."""

    is_open: bool
    title: str = ""
    sentence: str = ""
    at: datetime | None = None
    link: Link | None = None
    is_over: bool = False
    quota: Quota | None = None
    budget: BudgetLine | None = None
    resets_at: datetime | None = None
    max_bytes: int = 0
    asks_training_score: bool = False
    is_late: bool = False
    note_length: int = NOTE_LENGTH


def door_of(scene: Scene) -> Door:
    """The door as it stands for the reader of a page."""
    if scene.person is not None and scene.person.role != "participant":
        return Door(
            False, said("This account does not compete"), said("Organisers can see the labels; readers only read.")
        )
    closed = _closed_for_all(scene)
    if closed is not None:
        return closed
    if scene.person is None:
        link = Link(said("Sign in"), f"/sign-in?next={scene.path}/submit")
        return Door(
            False, said("Sign in to submit"), said("Submissions belong to a team, and a team to people."), link=link
        )
    if scene.team is None or scene.shown.quota is None:
        link = Link(said("Found or join a team"), f"{scene.path}/team")
        return Door(False, said("First a team"), said("Alone or with others: submissions belong to a team."), link=link)
    if scene.team.status != "active":
        title = _("Your team is {status}").format(status=say(STATUSES[scene.team.status]))
        words = said("The organisers have decided so, and can decide otherwise: ask them.")
        return Door(False, title, words, is_over=True)
    return _team_door(scene, scene.shown.quota)


def budget_line(budget: Budget | None) -> BudgetLine | None:
    """A budget in words; None where the mechanism has none for each team."""
    if budget is None:
        return None
    if budget.left is None:
        value = _("{n} in all").format(n=f"{budget.total:,}")
        return BudgetLine(_("Corrections"), value, _("How many are left would be one more answer, and is not told."))
    value = _("{left} of {all}").format(left=f"{budget.left:,}", all=f"{budget.total:,}")
    return BudgetLine(_("Answers left"), value, _("After the last your team is told no more numbers."))


def _closed_for_all(scene: Scene) -> Door | None:
    rules, phase = scene.hosted.rules, scene.phase.name
    board = Link(said("See the board"), f"{scene.path}/leaderboard")
    if phase == "upcoming" and rules.opens is not None:
        at = scene.in_zone(rules.opens)
        return Door(False, said("Not open yet"), said("Submissions are scored from"), at=at, link=preparation(scene))
    if phase == "spent":
        words = said("It has told all it may tell. No more submissions are scored.")
        return Door(False, said("This test set is spent"), words, link=board, is_over=True)
    if scene.takes_submissions:
        return None
    link = Link(said("See the results"), f"{scene.path}/results") if phase == "revealed" else board
    return Door(
        False, said("Closed"), said("This competition has ended. Nothing more is scored."), link=link, is_over=True
    )


def preparation(scene: Scene) -> Link:
    """What can be done before a competition opens."""
    if scene.person is None:
        return Link(said("Sign up"), f"/sign-up?next={scene.path}/team")
    if scene.team is None:
        return Link(said("Found or join a team"), f"{scene.path}/team")
    return Link(said("Get the data"), f"{scene.path}/data")


def _team_door(scene: Scene, quota: Quota) -> Door:
    rules, budget = scene.hosted.rules, scene.shown.budget
    resets_at, line = scene.in_zone(quota.resets_at), budget_line(budget)
    mine = Link(said("My submissions"), f"{scene.path}/submissions")
    if budget is not None and budget.is_spent:
        spent = said(
            "This board answers each team only so often. It has no more numbers for yours; what you have counts."
        )
        return Door(False, said("Your team's answers are used up"), spent, link=mine, is_over=True)
    if quota.left != 0:
        return Door(
            True,
            quota=quota,
            budget=line,
            resets_at=resets_at,
            max_bytes=rules.limits.max_file_bytes,
            asks_training_score=rules.mechanism == Thresholdout.name,
            is_late=scene.phase.name != "open",
        )
    if quota.total is not None and quota.used >= quota.total:
        words = _("All attempts of this competition are used. Your submissions still count.")
        return Door(False, said("No attempts left"), words, link=mine, quota=quota, budget=line, resets_at=resets_at)
    used = counted("The attempt of today is used.", "All {n} attempts of today are used.", quota.per_day or 0)
    words = f"{used} " + _("The next day begins")
    return Door(False, said("No attempts left"), words, resets_at, mine, quota=quota, budget=line, resets_at=resets_at)
