"""Whether an attempt may be made: the team, the competition's state and the quota, by the database's clock."""

from ladderboard.core.errors import CompetitionSpentError, DeadlinePassedError, NotOpenError
from ladderboard.core.words import Translatable, translatable
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.submissions.incoming import IncomingSubmission
from ladderboard.hosting.submissions.quota import quota_of
from ladderboard.store import attempts
from ladderboard.store.records import TeamStatus

SPENT = translatable(
    "this holdout has told all that it may tell and gives no more numbers; "
    "ask the organiser for a fresh test set, or rely on the numbers that are on the board"
)

STATUS_WORDS: dict[TeamStatus, Translatable] = {
    "active": translatable("active"),
    "withdrawn": translatable("withdrawn"),
    "disqualified": translatable("disqualified"),
    "merged": translatable("merged"),
}


def refuse(live: LiveCompetition, position: attempts.AttemptContext, attempt: IncomingSubmission, phase: str) -> None:
    """Raise where this attempt may not be made now. Checked before judging, and again when it is recorded."""
    competition, team = position.competition, position.team
    if team.status != "active":
        raise NotOpenError(
            translatable(
                "the team {name!r} is {status} and can submit no more", name=team.name, status=STATUS_WORDS[team.status]
            )
        )
    if phase == "baseline":
        return
    if phase == "live" and competition.finalized_at is not None:
        raise DeadlinePassedError(translatable("the results of this competition are final; nothing more is scored"))
    if phase == "live" and competition.frozen_at is not None and attempt.received_at > competition.frozen_at:
        raise DeadlinePassedError(translatable("the organiser has closed this competition; nothing more is scored"))
    if competition.spent_at is not None:
        raise CompetitionSpentError(SPENT)
    quota_of(live, team, attempt.received_at).refuse_more(attempt.received_at)
