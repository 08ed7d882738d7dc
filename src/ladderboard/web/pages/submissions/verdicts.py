"""The verdict on a submission in words that follow from its mechanism's traits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ladderboard.mechanisms.base import Mechanism
from ladderboard.web.text import _, score


@dataclass(frozen=True)
class Verdict:
    """A heading and its sentences; ``tone`` is a class of the stylesheet."""

    title: str
    sentences: tuple[str, ...]
    tone: str


def make_verdict(
    release: Mapping[str, Any],
    *,
    before: float | None,
    mechanism: Mechanism | type[Mechanism],
    is_late: bool = False,
    is_ranked: bool = False,
) -> Verdict:
    """The verdict on a release; ``before``: what the board showed before it."""
    said = [_("This came after the deadline. It stands apart from the board and is not comparable.")] if is_late else []
    if release["accepted"]:
        said += [_moved(before, release["board_value"]), _praise(release, mechanism)]
        improved = release["improved"]
        return Verdict(_("Improved") if improved else _("Accepted"), tuple(said), "improved" if improved else "")
    if release["board_value"] is None:
        said.append(
            _("This entry beats none of the ranks on the board, so that there is no number for your team yet.")
            if is_ranked
            else _("There is no number for your team yet: no entry has shown that it is better than the baseline.")
        )
        return Verdict(_("Not accepted"), tuple(said), "")
    if mechanism.tells_every_attempt:
        said.append(_("Your best so far stays on the board: {best}.").format(best=score(release["board_value"])))
        is_equal = release["value"] == release["board_value"]
        return Verdict(_("As good as your best") if is_equal else _("Not your best"), tuple(said), "")
    said.append(_("There is not enough evidence that this entry is better than your best one."))
    said.append(_("That is the common case, and no judgement of your idea: larger steps are seen."))
    return Verdict(_("Not accepted: your number stays"), tuple(said), "")


def make_receipt(silence: str, *, is_late: bool = False) -> Verdict:
    """The answer of a board that shows no scores; ``silence`` says until when."""
    late = (_("This came after the deadline. It stands apart from the board and is not comparable."),)
    return Verdict(_("Received"), ((*late, silence) if is_late else (silence,)), "")


def _moved(before: float | None, now: float) -> str:
    if before is None or before == now:
        return _("Your number is {now}.").format(now=score(now))
    return _("Your number went from {before} to {now}.").format(before=score(before), now=score(now))


def _praise(release: Mapping[str, Any], mechanism: Mechanism | type[Mechanism]) -> str:
    if not mechanism.has_gate:
        return _("It is your best score so far. This board tests nothing: the gain may be luck.")
    if not mechanism.corrects_for_attempts:
        return _("The entry passed the gate of this board. No correction for many attempts stands behind that.")
    if release["improved"]:
        return _("The gain also holds up against the number of attempts that your team has made.")
    return _("It passed the gate, but the gain is not large enough to be called an improvement for certain.")
