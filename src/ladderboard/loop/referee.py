"""A loop as an agent sees it: folders of candidates below one folder, open tasks, scores and words."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ladderboard.core.errors import ParameterError
from ladderboard.loop.loop import Loop
from ladderboard.loop.program import Program
from ladderboard.loop.proposal import Proposal
from ladderboard.scoring.sandbox import SandboxLimits

SHOWN_LAST = 20


@dataclass(frozen=True)
class AgentLoop:
    """What an agent may ask: it never sees a guarded task, nor files outside of ``candidates``.

    A candidate is copied before it runs: what is certified is what was proposed.
    """

    loop: Loop
    candidates: Path
    repeats: int = 4
    limits: SandboxLimits = SandboxLimits()  # noqa: RUF009 (frozen)
    most_mb: int = 256

    def propose(self, folder: str, command: Sequence[str], name: str) -> dict[str, Any]:
        """Copy a candidate, run it on the open tasks, decide, and ask the guard where they are convinced."""
        from ladderboard.loop.snapshot import copy_folder

        if not command:
            raise ParameterError('the command is empty; give its words, such as ["python3", "agent.py"]')
        with TemporaryDirectory() as place:
            copy = Path(place, "candidate")
            copy_folder(self.candidates, folder, copy, most_mb=self.most_mb)
            program = Program(tuple(command), copy, self.repeats, self.limits)
            shown = self.loop.open.show()

            def run_all(tasks: list[Any]) -> dict[str, list[Any]]:
                return program.run(tasks, is_open=tasks == shown)

            return _write(self.loop.propose_runs(run_all, candidate=program.identity, name=name))

    def status(self, *, has_tasks: bool) -> dict[str, Any]:
        """What stands, and how candidates are run."""
        told = self.loop.report()
        kept = [one.number for one in told.proposals if one.kept]
        certified = told.certified
        found = {
            "summary": [told.sentence(), *([told.summarise()] if len(told.proposals) > 1 else [])],
            "go_on_from": kept[-1] if kept else None,
            "certified": None if certified is None else certified.number,
            "certified_score": self.loop.best,
            "interval": told.interval,
            "open_tasks": told.open_tasks,
            "guarded_tasks": told.guarded_tasks,
            "last_proposals": [_write_line(one) for one in told.proposals[-SHOWN_LAST:]],
            "candidates_are_in": str(self.candidates),
            "runs_of_each_task": self.repeats,
            "seconds_for_a_run": self.limits.seconds,
            "network": self.limits.has_network,
        }
        return found | ({"tasks": self.loop.open.show()} if has_tasks else {})

    def explain(self, number: int, most: int) -> dict[str, Any]:
        """Why a proposal was decided so, and its open tasks, the lowest scores first."""
        proposals = self.loop.history()
        if not 1 <= number <= len(proposals):
            raise ParameterError(f"there is no proposal {number}; the last one is {len(proposals)}")
        one = proposals[number - 1]
        before = next((other.open_scores for other in reversed(proposals[: number - 1]) if other.kept), {})
        shown = dict(zip(self.loop.open.ids, self.loop.open.show(), strict=True))
        lowest = sorted(one.open_scores, key=lambda task: one.open_scores[task])[:most]
        tasks = [
            {"task": shown[task], "score": one.open_scores[task], "score_before": before.get(task)} for task in lowest
        ]
        return {**_write(one), "open_tasks": tasks}


def _write(one: Proposal) -> dict[str, Any]:
    return {
        **_write_line(one),
        "certified_score": one.board_value,
        "why": one.explain(),
        "is_repeat": one.is_repeat,
        "waits_for_guarded_tasks": one.needs_guarded,
    }


def _write_line(one: Proposal) -> dict[str, Any]:
    return {
        "number": one.number,
        "name": one.name,
        "decision": one.decision,
        "certified": one.certified,
        "asked": one.asked,
        "open_score": one.open_score,
        "gain": one.gain,
        "gain_error": one.gain_error,
    }
