"""The arena: every mechanism against every attack and on honest streams. Finished cells are kept on disk.

plan → tasks → attack runs and streams (in parallel) → cells.jsonl → Arena → table, picture, JSON
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np

import ladderboard as lb
from ladderboard_lab.arena.honest import show_stream
from ladderboard_lab.arena.variants import REFERENCE, list_variants, make_variants
from ladderboard_lab.attack_runs import (
    ENOUGH_TO_SEE,
    PROBLEMS,
    ProblemMaker,
    attack_board,
    choose_problem,
    make_problem,
    name_problem,
)
from ladderboard_lab.attacks import ATTACKS
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.foreign_code import digest_files
from ladderboard_lab.problems.base import Problem
from ladderboard_lab.problems.streams import STREAMS
from ladderboard_lab.run import run_tasks

Record = dict[str, Any]

SMALLEST_N = 100
"""With fewer items some attacks do not fit, and nothing can be told apart."""


@dataclass(frozen=True)
class Plan:
    """What is to be fought: sizes, names, repetitions and the seed. The same plan gives the same results."""

    n: int = 1000
    k: int = 2000
    repetitions: int = 3
    mechanisms: tuple["str | lb.Mechanism", ...] = field(default_factory=list_variants)
    """Names of variants, or mechanisms of your own."""
    attacks: tuple[str | type[Attack], ...] = tuple(ATTACKS)
    """Names, or classes of your own."""
    streams: tuple[str, ...] = tuple(STREAMS)
    stream_length: int = 100
    stream_repetitions: int = 10
    seed: int = 0
    board: Literal["team", "rank"] = "team"
    """One instance of the mechanism for each team of the attacked boards, or for each rank. Streams have one team."""
    problem: str | ProblemMaker | None = None
    """What is attacked, by name or made by a function of your own; None: what suits each attack. Attacks that do not
    fit are left out."""

    def __post_init__(self) -> None:
        for word, names, known in (
            ("mechanism", self.mechanisms, list_variants()),
            ("attack", self.attacks, ATTACKS),
            ("stream", self.streams, STREAMS),
        ):
            for name in names:
                if isinstance(name, str):
                    check_name(word, name, known)
        if isinstance(self.problem, str):
            check_name("problem", self.problem, PROBLEMS)
        if self.n < SMALLEST_N:
            raise lb.ParameterError(f"n is {self.n}; the arena needs at least {SMALLEST_N} items")
        if min(self.k, self.repetitions, self.stream_repetitions) < 1 or self.stream_length < 2:
            raise lb.ParameterError("k and the repetitions must be at least 1, the length of streams at least 2")

    def make_mechanisms(self) -> "dict[str, lb.Mechanism]":
        """Name → mechanism, in the order of the plan."""
        variants = make_variants(n=self.n, k=self.k)
        return {
            one if isinstance(one, str) else one.name: variants[one] if isinstance(one, str) else one
            for one in self.mechanisms
        }

    def list_attacks(self) -> dict[str, tuple[Attack, ...]]:
        """Name → settings, in the order of the plan."""
        chosen = [ATTACKS[one] if isinstance(one, str) else one for one in self.attacks]
        return {one.name: fitting for one in chosen if (fitting := tuple(filter(self._fits, one.settings())))}

    def _fits(self, attack: Attack) -> bool:
        if self.problem is None:
            return True
        make = PROBLEMS[self.problem] if isinstance(self.problem, str) else self.problem
        return not attack.misfit(make(np.random.default_rng(0), min(self.n, ENOUGH_TO_SEE)).briefing)

    def make_problem(self, attack: Attack, rng: np.random.Generator) -> tuple[str, Problem]:
        """The name and the problem that the attack is measured on."""
        if self.problem is None:
            return choose_problem(attack, rng, n=self.n)
        return name_problem(self.problem), make_problem(self.problem, attack, rng, n=self.n)

    def to_dict(self) -> Record:
        """The plan for JSON: mechanisms and attacks of your own by their names, parameters and files."""
        names = {field.name: getattr(self, field.name) for field in fields(self)}
        own = [one if isinstance(one, str) else {one.name: one.parameters()} for one in self.mechanisms]
        problem = None if self.problem is None else name_problem(self.problem)
        plan = {**names, "mechanisms": own, "attacks": [*self.list_attacks()], "problem": problem}
        files = digest_files(*self.mechanisms, *self.attacks, self.problem)
        return {**plan, "files": files} if files else plan

    def tasks(self) -> list["Task"]:
        """The cells, one repetition after the other, so that an interrupted arena has complete ones."""
        found: list[Task] = []
        attacks, mechanisms = self.list_attacks(), self.make_mechanisms()
        for repetition in range(max(self.repetitions, self.stream_repetitions)):
            if repetition < self.repetitions:
                found += [
                    AttackTask(self, repetition, name, setting, mechanism)
                    for name, settings in attacks.items()
                    for setting in range(len(settings))
                    for mechanism in mechanisms
                ]
            if repetition < self.stream_repetitions:
                found += [StreamTask(self, repetition, name) for name in self.streams]
        return found


@dataclass(frozen=True)
class AttackTask:
    """One setting of one attack against one mechanism, once."""

    plan: Plan
    repetition: int
    attack: str
    setting: int
    mechanism: str

    def run(self, seed: np.random.SeedSequence) -> list[Record]:
        problem_seed, bout_seed = seed.spawn(2)
        attack = self.plan.list_attacks()[self.attack][self.setting]
        problem_name, problem = self.plan.make_problem(attack, np.random.default_rng(problem_seed))
        mechanism = self.plan.make_mechanisms()[self.mechanism]
        bout = attack_board(attack, mechanism, problem, budget=self.plan.k, seed=bout_seed, board=self.plan.board)
        names = {"attack": self.attack, "setting": attack.setting, "problem": problem_name}
        return [
            {"kind": "attack", "mechanism": self.mechanism, **names, "repetition": self.repetition, **bout.to_dict()}
        ]


@dataclass(frozen=True)
class StreamTask:
    """One honest stream through all mechanisms, and through full disclosure for comparison."""

    plan: Plan
    repetition: int
    stream: str

    def run(self, seed: np.random.SeedSequence) -> list[Record]:
        stream_seed, board_seed = seed.spawn(2)
        stream = STREAMS[self.stream].draw(stream_seed, n=self.plan.n, length=self.plan.stream_length)
        # Full disclosure is in every comparison, whether or not it is in the arena.
        reference = make_variants(n=self.plan.n, k=self.plan.k)[REFERENCE]
        mechanisms = {REFERENCE: reference, **self.plan.make_mechanisms()}
        shown = show_stream(stream, mechanisms, seed=int(board_seed.generate_state(1, np.uint64)[0]))
        return [
            {"kind": "honest", "mechanism": name, "stream": self.stream, "repetition": self.repetition, **one.to_dict()}
            for name, one in shown.items()
        ]


Task = AttackTask | StreamTask


@dataclass(frozen=True)
class Arena:
    """A finished plan: its records in the order of the tasks."""

    plan: Plan
    records: Sequence[Record] = field(repr=False)


def run_arena(plan: Plan, out: Path, *, workers: int = 1, cluster: str | None = None, quiet: bool = False) -> Arena:
    """Run what is not yet in ``out``/cells.jsonl, keep it there, and return all of it."""
    cells = CellFile(out / "cells.jsonl", plan)
    tasks = plan.tasks()
    finished = run_tasks(
        _run,
        tasks,
        seed=plan.seed,
        workers=workers,
        cluster=cluster,
        title="arena",
        quiet=quiet,
        skip=cells.records,
    )
    for index, records in finished:
        cells.add(index, records)
    return Arena(plan, [record for index in range(len(tasks)) for record in cells.records[index]])


def _run(task: Task, seed: np.random.SeedSequence) -> list[Record]:
    return task.run(seed)


class CellFile:
    """Finished cells, one JSON line each, behind a line that says of which plan they are.

    A line counts when it is complete; what a killed process left unfinished is cut off. Written line by line, so that
    no more than the cell at work is ever lost.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self.records: dict[int, list[Record]] = {}
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and self._read(plan):
            return
        path.write_text(json.dumps({"plan": plan.to_dict()}) + "\n", encoding="utf-8")

    def add(self, index: int, records: list[Record]) -> None:
        self.records[index] = records
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"task": index, "records": records}) + "\n")

    def _read(self, plan: Plan) -> bool:
        """Whether there was at least the first line; what follows the last line break is cut off."""
        text = self._path.read_text(encoding="utf-8")
        complete = text[: text.rfind("\n") + 1]
        if complete != text:
            self._path.write_text(complete, encoding="utf-8")
        first, *rest = complete.splitlines() or [""]
        if not first:
            return False
        if json.loads(first) != json.loads(json.dumps({"plan": plan.to_dict()})):
            raise lb.InputError(f"{self._path} holds cells of another plan; choose another folder, or delete that file")
        for line in rest:
            cell = json.loads(line)
            self.records[cell["task"]] = cell["records"]
        return True


def check_name(word: str, name: str, known: Iterable[str]) -> None:
    """Refuse a name that is not known, with the nearest one that is."""
    from difflib import get_close_matches

    names = sorted(known)
    if name not in names:
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise lb.ParameterError(f"there is no {word} {name!r}; {hint}Known: {', '.join(names)}")
