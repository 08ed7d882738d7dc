"""The outcome of an attempt: one of four words, and the sentences that say what became of the score shown.

Pages, commands, the API and the guard all speak from here. The words follow from the release, from what was shown
before it, and from the traits of the mechanism: "Improved" and "proven" are said only where it corrects for attempts.
"""

from dataclasses import dataclass, replace
from typing import Literal

from ladderboard.core.gains import Gains
from ladderboard.core.records import Release
from ladderboard.core.score_format import MOST_DECIMALS, SMALLEST_PLAIN, ScoreFormat
from ladderboard.mechanisms.base import Mechanism

OutcomeName = Literal["improved", "new_best", "updated", "no_change"]

TITLES: dict[OutcomeName, str] = {
    "improved": "Improved",
    "new_best": "New best",
    "updated": "Updated",
    "no_change": "No change",
}
LATE = "Late"
RECEIVED = "Received"
SILENCE = "This board shows no scores until the reveal."
NOT_SHOWN = "The score of a file that is not clearly better is not shown: that keeps the board honest."
NOT_CERTIFIED = "Without a certificate no score is shown: that keeps the next test honest."
NONE_CERTIFIED = "Nothing is certified yet, so no score is shown."
APART = "It arrived after the deadline: it is scored separately and does not change the board."


@dataclass(frozen=True)
class Footing:
    """What a team stood on before an attempt.

    ``value`` is the score shown (None: none yet), ``incumbent`` the attempt it belongs to and ``proven`` the last
    proven one; None for both: the baseline, or nothing.
    """

    value: float | None = None
    incumbent: int | None = None
    proven: int | None = None


@dataclass(frozen=True)
class Outcome:
    """A word and the sentences that explain it."""

    name: OutcomeName
    title: str
    sentences: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """All sentences as one line."""
        return " ".join(self.sentences)


def name_outcome(
    release: Release, *, before: float | None, mechanism: Mechanism | type[Mechanism], lower_is_better: bool
) -> OutcomeName:
    """Name the outcome of a release; ``before`` is the score shown before it. A repetition changes nothing.

    >>> from ladderboard.mechanisms import MECHANISMS
    >>> release = Release(0.87, 0.87, accepted=True, improved=False, attempt=3, interval=None)
    >>> witness = MECHANISMS["witness_ladder"]
    >>> [name_outcome(release, before=was, mechanism=witness, lower_is_better=False) for was in (0.85, 0.88)]
    ['new_best', 'updated']
    """
    if release.improved and mechanism.corrects_for_attempts:
        return "improved"
    if not release.accepted or release.is_repeat:
        return "no_change"
    now = release.board_value
    assert now is not None
    is_better = before is None or (now < before if lower_is_better else now > before)
    return "new_best" if is_better else "updated"


def tell_outcome(release: Release, *, before: float | None, mechanism: Mechanism, lower_is_better: bool) -> Release:
    """The release with its word, and with whether its number is its own; ``before`` as for `name_outcome`."""
    name = name_outcome(release, before=before, mechanism=mechanism, lower_is_better=lower_is_better)
    return replace(release, outcome_name=name, is_own_value=find_own_value(release, mechanism) is not None)


def find_own_value(release: Release, mechanism: Mechanism) -> float | None:
    """The number that belongs to the attempt itself; None for a rejected one, which repeats another attempt's."""
    return release.value if release.accepted or mechanism.tells_own_number() else None


def describe_outcome(
    release: Release,
    footing: Footing,
    *,
    mechanism: Mechanism,
    lower_is_better: bool,
    scores: ScoreFormat,
    gains: Gains | None = None,
    hint: str | None = None,
    is_ranked: bool = False,
    is_late: bool = False,
) -> Outcome:
    """Describe what became of a submission.

    ``scores`` is how the board writes them. ``gains`` is what this board usually shows and proves
    (`ladderboard.guard.gains`). ``hint`` is what to look at first where a good file was not recognised, such as the
    positive class. ``is_ranked``: the board has one instance per rank. ``is_late``: it arrived after the deadline.
    """
    name = name_outcome(release, before=footing.value, mechanism=mechanism, lower_is_better=lower_is_better)
    if not mechanism.shows_scores:
        return Outcome(name, RECEIVED, (APART, SILENCE) if is_late else (SILENCE,))
    if is_late:
        return Outcome(name, LATE, (APART, *_describe_late(release, mechanism, scores)))
    if release.accepted:
        return Outcome(name, TITLES[name], _describe_accept(name, release, footing, mechanism, scores))
    words = _describe_reject(release, footing, mechanism, scores, gains=gains, is_ranked=is_ranked)
    return Outcome(name, TITLES[name], (*words, *([] if hint is None else [hint])))


def describe_repeat(
    release: Release,
    footing: Footing,
    *,
    attempt: int,
    mechanism: Mechanism,
    scores: ScoreFormat,
    hint: str | None = None,
) -> Outcome:
    """Describe the answer to predictions that were sent before, as ``attempt``; ``footing`` is that of today."""
    name: OutcomeName = "improved" if release.improved and mechanism.corrects_for_attempts else "no_change"
    words = [
        f"This repeats attempt {attempt}: the same predictions, so no attempt was used.",
        _describe_today(release, footing, mechanism, scores),
    ]
    if name == "improved":
        words.append(f"Attempt {attempt} is your proven entry.")
    elif hint is not None and mechanism.shows_scores:
        words.append(hint)
    return Outcome(name, TITLES[name] if mechanism.shows_scores else RECEIVED, tuple(words))


def describe_gains(gains: Gains, *, is_first: bool = False) -> str | None:
    """Say which gains a board usually shows and which it usually proves; None where there is nothing to say.

    ``is_first``: the team has no entry yet, so that it has to beat the baseline by the test of a first entry.

    >>> describe_gains(Gains(0.01234, 0.0301))
    'On this test set, a gain of about 0.012 is usually shown, one of about 0.03 usually proven.'
    >>> describe_gains(Gains(0.1, None, "not even the best possible score would usually be proven"), is_first=True)
    'On this test set, a first score about 0.1 better than the baseline is usually shown; not even the best possible \
score would usually be proven.'
    """
    if gains.shown is None:
        return None if gains.reason is None else f"On this test set, {gains.reason}."
    shown = format_gain(gains.shown)
    what = f"a first score about {shown} better than the baseline" if is_first else f"a gain of about {shown}"
    if gains.proven is not None and format_gain(gains.proven) == shown:
        return f"On this test set, {what} is usually shown and proven."
    rest = "" if gains.reason is None else f"; {gains.reason}"
    if gains.proven is not None:
        proven = format_gain(gains.proven)
        rest = f", one about {proven} better usually proven" if is_first else f", one of about {proven} usually proven"
    return f"On this test set, {what} is usually shown{rest}."


def format_gain(gain: float) -> str:
    """Two digits: more would promise more than an approximation can keep.

    >>> format_gain(0.01234), format_gain(0.3), format_gain(41.6)
    ('0.012', '0.3', '42')
    """
    return (
        f"{float(f'{gain:.2g}'):,.{MOST_DECIMALS}f}".rstrip("0").rstrip(".")
        if gain >= SMALLEST_PLAIN
        else f"{gain:.2g}"
    )


def _describe_accept(
    name: OutcomeName, release: Release, footing: Footing, mechanism: Mechanism, scores: ScoreFormat
) -> tuple[str, ...]:
    assert release.board_value is not None
    if name == "updated":
        return (
            _describe_replacement(footing),
            _describe_shown(release.board_value, footing.value, scores),
            "Not proven better.",
        )
    return (_describe_move(release.board_value, footing.value, scores), _describe_worth(name, footing, mechanism))


def _describe_worth(name: OutcomeName, footing: Footing, mechanism: Mechanism) -> str:
    """What a better score means on this board."""
    if name == "improved":
        if footing.proven is None:
            return f"Proven better than the {'reference' if mechanism.certifies else 'baseline'}."
        return f"Proven better than your attempt {footing.proven}."
    if footing.value is None:
        return "This is your first score."
    if mechanism.corrects_for_attempts:
        return "May be better; not proven yet."
    if mechanism.has_gate:
        return "May be better, or lucky: this board does not correct for the number of attempts."
    return "May be better, or lucky: this board shows every score."


def _describe_move(now: float, before: float | None, scores: ScoreFormat) -> str:
    if before is None:
        return f"Score {scores.write(now)}."
    return f"Score {scores.write(before)} → {scores.write(now)}."


def _describe_replacement(footing: Footing) -> str:
    if footing.incumbent is None:
        return "This file replaces the baseline."
    return f"This file replaces attempt {footing.incumbent}."


def _describe_shown(now: float, before: float | None, scores: ScoreFormat) -> str:
    if before is None or now == before:
        return f"Score shown: {scores.write(now)}, as before."
    return f"Score shown: {scores.write(now)} (was {scores.write(before)})."


def _describe_reject(
    release: Release,
    footing: Footing,
    mechanism: Mechanism,
    scores: ScoreFormat,
    *,
    gains: Gains | None,
    is_ranked: bool,
) -> list[str]:
    own = find_own_value(release, mechanism)
    if own is not None:
        return [
            f"This file scored {scores.write(own)}.",
            _describe_standing(release, footing, scores),
        ]
    if mechanism.certifies:
        whose = "the reference" if footing.proven is None else f"attempt {footing.proven}"
        return [f"Not proven better than {whose}.", NOT_CERTIFIED]
    if release.board_value is None and is_ranked:
        none = "This file beats none of the entries on the board, so there is no score for your team yet."
        return [none]
    words = [_describe_standing(release, footing, scores), NOT_SHOWN]
    is_first = footing.incumbent is None and mechanism.starts_from_baseline
    usual = None if is_ranked or gains is None else describe_gains(gains, is_first=is_first)
    return words if usual is None else [*words, usual]


def _describe_today(release: Release, footing: Footing, mechanism: Mechanism, scores: ScoreFormat) -> str:
    if not mechanism.shows_scores:
        return SILENCE
    is_uncertified = mechanism.certifies and release.board_value is None
    return NONE_CERTIFIED if is_uncertified else _describe_standing(release, footing, scores)


def _describe_standing(release: Release, footing: Footing, scores: ScoreFormat) -> str:
    now, before = release.board_value, footing.value
    if now is None:
        return "No score is shown for your team yet."
    if before is not None and now != before:
        drawn = f"{scores.write(now)} (was {scores.write(before)})"
        return f"Attempt {footing.incumbent} stays your best. New noise was drawn for its score: {drawn}."
    value = scores.write(now)
    if footing.incumbent is None:
        return f"Your score stays {value} (the baseline)."
    return f"Your score stays {value} (attempt {footing.incumbent})."


def _describe_late(release: Release, mechanism: Mechanism, scores: ScoreFormat) -> tuple[str, ...]:
    own = find_own_value(release, mechanism)
    if own is None:
        return (NOT_SHOWN,)
    return (f"Its score is {scores.write(own)}, which is not comparable.",)
