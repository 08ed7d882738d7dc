"""A competition's rules in plain English, made from its settings."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ladderboard.competition import Rules
from ladderboard.competition.model import select_score_options
from ladderboard.core.words import pluralise
from ladderboard.mechanisms.outcomes import describe_gains
from ladderboard.metrics.custom import FunctionMetric
from ladderboard.metrics.positive import describe_positive
from ladderboard.scoring.code_rules import CodeRules
from ladderboard.server.app.error_pages import Link
from ladderboard.server.app.text import moment, sentence, size
from ladderboard.server.competitions.context import CompetitionContext, metric_title


@dataclass(frozen=True)
class Section:
    """A heading and its sentences."""

    title: str
    sentences: tuple[str, ...]
    link: Link | None = None


def rules_in_words(context: CompetitionContext) -> tuple[Section, ...]:
    """All sections of the rules page, in the order participants need them."""
    rules = context.live.rules
    return (
        Section("When", _explain_times(context, rules)),
        Section("How often", (sentence(attempts_in_words(rules)), *_explain_limits(rules))),
        *([] if rules.code is None else [Section("Programs", _explain_programs(rules.code))]),
        Section("What counts", _explain_counting(context)),
        Section("What you see", *_explain_releases(context)),
        Section("The board", _explain_board(context)),
        Section("The end", _explain_end(context, rules)),
        Section("Teams", _teams(context, rules)),
        Section("Trust", _trust(rules)),
    )


def _explain_programs(code: CodeRules) -> tuple[str, ...]:
    environment = "the server's own Python"
    if code.environment is not None:
        environment = f"the Python environment {Path(code.environment).name!r}"
    runs = "" if code.runs_per_day is None else f" A team may send {code.runs_per_day:,} programs a day."
    return (
        f"You submit a program. It is run as python {code.entry} INPUTS OUTPUT, in {environment}.",
        f"It has {code.time_limit:g} s of processor time and {code.memory_mb:,} MB of memory, and no network.",
        f"It runs first on the public sample: its whole log is yours, and failing there costs no attempt.{runs}",
        "Then it answers the hidden inputs. That counts as an attempt, and you learn the score that is shown, or that "
        "it failed, and nothing else.",
    )


def attempts_in_words(rules: Rules) -> str:
    """A team's limits.

    >>> attempts_in_words(Rules("a", "A", "auc", "ladder"))
    '5 attempts a day'
    """
    limits = rules.limits
    a_day = None if limits.per_day is None else pluralise("{n} attempt a day", "{n} attempts a day", limits.per_day)
    in_all = None if limits.total is None else f"{limits.total} in total"
    return ", ".join(part for part in (a_day, in_all) if part) or "unlimited attempts"


def _explain_times(context: CompetitionContext, rules: Rules) -> tuple[str, ...]:
    lines = []
    if rules.opens is not None:
        lines.append(f"Submissions open on {_format_moment(context, rules.opens)}.")
    if rules.deadline is None:
        return (*lines, "There is no deadline.")
    deadline = "The deadline is {time}. A submission counts if it arrives before the deadline."
    lines.append(deadline.format(time=_format_moment(context, rules.deadline)))
    if rules.late_submissions:
        return (*lines, "Later submissions are scored separately and are not comparable.")
    return (*lines, "Later submissions are not scored.")


def _explain_limits(rules: Rules) -> tuple[str, ...]:
    lines = []
    if rules.limits.per_day is not None:
        a_day = "A day is a calendar day in the time zone {zone}; the count starts again at midnight there."
        lines.append(a_day.format(zone=rules.time_zone))
    lines += [
        "Attempts belong to the team. A file with an error costs nothing; every scored attempt counts.",
        "Sending the same predictions again costs nothing and changes nothing.",
        f"A file may have at most {size(rules.limits.max_file_bytes)}.",
    ]
    if rules.limits.leakage_bits is not None:
        spent = (
            "Once {n} bits have been released to all teams together, the test set is spent: no more scores are shown."
        )
        lines.append(spent.format(n=f"{rules.limits.leakage_bits:,.0f}"))
    return tuple(lines)


def _explain_counting(context: CompetitionContext) -> tuple[str, ...]:
    rules, metric = context.live.rules, context.live.competition.metric
    better = "Lower is better." if metric.lower_is_better else "Higher is better."
    about = context.live.competition.format
    positive = () if about.positive is None else (describe_positive(about.takes, about.positive),)
    if isinstance(metric, FunctionMetric) or about.takes == "file":
        own = "Submissions are scored by {metric}, the organisers' own function."
        return (own.format(metric=metric_title(rules.metric)), better, *positive)
    options = ", ".join(f"{name} = {value}" for name, value in select_score_options(rules.metric_options).items())
    name = metric_title(rules.metric) + (f" ({options})" if options else "")
    return (f"Submissions are scored by {name}.", better, *positive)


def _explain_releases(context: CompetitionContext) -> tuple[tuple[str, ...], Link]:
    rules, words = context.live.rules, context.live.mechanism.words
    if context.silence:
        return (words.lead, context.silence), Link("About this mechanism", f"/mechanisms/{rules.mechanism}")
    lines = [f"The mechanism is {words.title}.", words.lead]
    usual = describe_gains(context.gains, is_first=context.is_first)
    if usual is not None:
        lines.append(usual)
    if rules.instances == "rank":
        ranks = "The board has {n} ranks with a memory. A submission enters at the first rank it beats."
        lines += [
            ranks.format(n=rules.ranks),
            "A rank is held until it is beaten by more than luck: a better score may stand below a worse one.",
            "A submission that beats none of them gets no score.",
        ]
    for name, value in rules.mechanism_parameters.items():
        lines.append(f"Here {name} is {value}: {words.parameters[name]}.")
    return tuple(lines), Link("About this mechanism", f"/mechanisms/{rules.mechanism}")


def _explain_board(context: CompetitionContext) -> tuple[str, ...]:
    if context.silence:
        return ("The board lists the teams by name, with the number of their submissions.",)
    return (
        "The board ranks by the scores shown. Equal scores share a rank: 1, 2, 2, 4.",
        "Time only decides the order in which equal scores are listed.",
        "Beside its rank, every team has plausible ranks: those it could truly have, given the scores.",
        "They follow from the scores shown and their standard errors, and hold for all teams at once at 95 %.",
    )


def _explain_end(context: CompetitionContext, rules: Rules) -> tuple[str, ...]:
    if rules.reveal == "never":
        return ("This is a standing benchmark: there is no private board, and the board is the result.",)
    lines = [
        "The result is the private board, computed once on rows whose scores were never shown.",
        pluralise(
            "Each team may pick {n} submission for it, until it is computed.",
            "Each team may pick up to {n} submissions for it, until it is computed.",
            rules.finals,
        ),
        _explain_default(context),
    ]
    if isinstance(rules.reveal, datetime):
        lines.append(f"The private board is shown on {_format_moment(context, rules.reveal)}.")
    elif rules.reveal == "deadline":
        lines.append("The private board is shown as soon as it has been computed after the deadline.")
    else:
        lines.append("The organisers decide when to show the private board, after the deadline.")
    return tuple(lines)


def _explain_default(context: CompetitionContext) -> str:
    if context.silence:
        return "Without a pick, the team's latest submission counts."
    if context.live.rules.finals == 1:
        return "Without a pick, the team's best on the board counts."
    return "Without a pick, the team's best on the board and its latest count."


def _teams(context: CompetitionContext, rules: Rules) -> tuple[str, ...]:
    largest, until = rules.teams.largest, rules.teams.merge_until
    alone = "Everyone competes alone."
    lines = [alone if largest == 1 else f"A team has at most {largest} members."]
    lines.append("One person is in one team. Leaving a team gives no fresh start.")
    if not rules.teams.merging or largest == 1:
        return (*lines, "Teams cannot merge.")
    lines.append(
        "Teams may merge: their attempts add up."
        if context.silence
        else "Teams may merge: their attempts add up, and the better score is kept."
    )
    if until is not None:
        lines.append(f"This is possible until {_format_moment(context, until)}.")
    return tuple(lines)


def _trust(rules: Rules) -> tuple[str, ...]:
    lines: tuple[str, ...] = (
        "Before the first submission, a commitment to labels, split, mechanism and seed was published.",
        "Every submission and every decision is recorded in a chained ledger that anyone can check.",
    )
    if not rules.publish_solution:
        lines = (*lines, "The solution stays secret, even after the private board is shown.")
    if rules.publish_submissions:
        return (
            *lines,
            "After the reveal, all submissions are published: anyone can recompute every score.",
        )
    return (*lines, "Submissions are not published. A team can always download its own.")


def _format_moment(context: CompetitionContext, at: datetime) -> str:
    return moment(context.in_zone(at))
