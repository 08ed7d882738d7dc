"""The simulation of the demo's two weeks: honest teams day by day, one attacker minute by minute."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from argon2 import PasswordHasher

from ladderboard.core.records import IntArray
from ladderboard.demo.boards import ATTACKER, OpenBoard
from ladderboard.demo.digits import DAYS, PER_DAY, SLUG, Digits, load_digits, write_folder, write_submission
from ladderboard.demo.teams import BASELINE, HonestTeam, list_teams, predict_baseline, predict_improvement
from ladderboard.server.competitions.schedule import advance
from ladderboard.server.operations.rules import add_baseline
from ladderboard.server.people.accounts import Accounts, Registry
from ladderboard.server.people.passwords import Passwords
from ladderboard.server.people.records import Account
from ladderboard.server.people.roles import SCOPES_OF, Person
from ladderboard.server.services import Services, open_services
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.records import IncomingSubmission
from ladderboard.server.teams.teams import create_team

ORGANISER, PARTICIPANT, PASSWORD = "olivia", "pat", "ladderboard"
READY_FILE = "try-me.csv"
SEED = 4

Submit = Callable[[IntArray], float | None]
Attack = Callable[[Submit, int], IntArray]
"""An attacker: asks with predictions, is told a number or nothing, and ends with predictions to stand by."""
Progress = Callable[[int, int], None]
"""Called with how many submissions are done, and of how many."""


@dataclass(frozen=True)
class Cast:
    """The size of the demo: the first ``teams`` of twelve, and the rows of the test set."""

    teams: int = 12
    test_rows: int = 1000


FAST = Cast(teams=6, test_rows=240)
SECRET = b"a demo tells the same story twice"
"""Known to all, as are the labels: they are in every scikit-learn."""


class Calendar:
    """A clock that is set by hand, for the competition's past days."""

    def __init__(self, start: datetime) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now


def settings_for(folder: Path) -> Settings:
    """Make the settings of the demo's server."""
    return Settings(data=folder / "data", sign_in_tries_per_minute=60)


def make_demo(folder: Path, attack: Attack, *, cast: Cast, progress: Progress = lambda _, __: None) -> None:
    """Make the demo in ``folder``: competition, two weeks of submissions, the other board, and a file to try."""
    digits = load_digits(cast.test_rows)
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    opens = today - timedelta(days=DAYS)
    write_folder(folder / SLUG, digits, opens=opens)
    (folder / READY_FILE).write_bytes(write_submission(digits, predict_improvement(digits)))
    calendar = Calendar(opens - timedelta(days=2))
    services = open_services(settings_for(folder), [folder / SLUG], clock=calendar, secret=SECRET)
    try:
        simulation = _Simulation(services, digits, calendar, opens=opens, progress=progress)
        simulation.run(list_teams()[: cast.teams], attack)
        simulation.other_board.save(folder)
    finally:
        services.close()


@dataclass(frozen=True, eq=False)
class _Event:
    """A submission of an honest team and its time."""

    at: datetime
    team: str
    predictions: IntArray
    note: str


class _Simulation:
    def __init__(
        self, services: Services, digits: Digits, calendar: Calendar, *, opens: datetime, progress: Progress
    ) -> None:
        self.other_board = OpenBoard(digits)
        self._services, self._digits, self._calendar, self._opens = services, digits, calendar, opens
        self._live = services.competition(SLUG)
        # The passwords of a demo are no secret; those who sign up in it get the usual care.
        quick = Passwords(PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1))
        self._registry = Registry(Accounts(services.database, services.settings, passwords=quick))
        self._rng = np.random.default_rng(SEED)
        self._members: dict[str, tuple[str, str]] = {}
        self._progress, self._done, self._all = progress, 0, 0

    def run(self, teams: tuple[HonestTeam, ...], attack: Attack) -> None:
        self._registry.add(ORGANISER, PASSWORD, role="organiser")
        self._calendar.now = self._opens
        advance(self._services, SLUG)
        events = self._events(teams)
        attempts = len(self._digits.labels) + 2
        self._all = len(events) + attempts
        for team in teams:
            self._create_team(team.name, self._registry.add(team.person, PASSWORD, role="participant"))
        self._create_team(ATTACKER, self._registry.add("vic", PASSWORD, role="participant"))
        add_baseline(
            self._services,
            SLUG,
            BASELINE,
            write_submission(self._digits, predict_baseline(self._digits)),
            file_name="baseline.csv",
        )
        self._attack(attack, events)
        for event in events:
            self._submit_honestly(event)
        self.other_board.submit(
            ATTACKER, attack(lambda p: self.other_board.submit(ATTACKER, p), len(self._digits.labels))
        )

    def _events(self, teams: tuple[HonestTeam, ...]) -> list[_Event]:
        """Schedule each team's submissions over the two weeks, in working hours, earliest first."""
        events = []
        for team in teams:
            days = np.sort(self._rng.uniform(0.3, DAYS - 1.2, len(team.submissions)))
            for day, entry in zip(days, team.submissions, strict=True):
                hour = 8 + 13 * float(self._rng.random())
                at = self._opens + timedelta(days=int(day), hours=hour)
                events.append(_Event(at, team.name, entry.predict(self._digits), entry.note))
        # Within a team the order of the entries holds, also on one day.
        times = {team.name: iter(sorted(one.at for one in events if one.team == team.name)) for team in teams}
        return sorted(
            (_Event(next(times[one.team]), one.team, one.predictions, one.note) for one in events),
            key=lambda one: one.at,
        )

    def _attack(self, attack: Attack, events: list[_Event]) -> None:
        made = 0

        def submit(predictions: IntArray) -> float | None:
            nonlocal made
            day, minute = divmod(made, PER_DAY)
            at = self._opens + timedelta(days=1 + day, hours=1, seconds=290 * minute)
            made += 1
            while events and events[0].at < at:
                self._submit_honestly(events.pop(0))
            return self._submit(ATTACKER, predictions, at, file_name=f"guess-{made:04}.csv")

        submit(attack(submit, len(self._digits.labels)))

    def _submit_honestly(self, event: _Event) -> None:
        self._submit(event.team, event.predictions, event.at, note=event.note)
        self.other_board.submit(event.team, event.predictions)

    def _create_team(self, name: str, account: Account) -> None:
        person = Person(account.id, account.name, "participant", SCOPES_OF["participant"])
        self._members[name] = (create_team(self._services.database, self._live, person, name).id, account.id)

    def _submit(
        self, team: str, predictions: IntArray, at: datetime, *, note: str = "", file_name: str = "predictions.csv"
    ) -> float | None:
        self._calendar.now = at
        team_id, account_id = self._members[team]
        content = write_submission(self._digits, predictions)
        attempt = IncomingSubmission(team_id, content, at, account_id=account_id, file_name=file_name, note=note)
        answer = self._services.referee.submit(self._live, attempt)
        self._done += 1
        self._progress(self._done, self._all)
        value: float | None = answer.content["release"]["value"]
        return value
