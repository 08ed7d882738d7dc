"""The output of `holdout score --not-worse`: an answer as a sentence or as JSON."""

import json
from dataclasses import asdict

import click

from ladderboard.guard.holdout import Holdout
from ladderboard.guard.reference import ReferenceAnswer


def print_answer(guard: Holdout, answer: ReferenceAnswer, *, as_json: bool) -> None:
    """Print an answer about the pinned reference."""
    if as_json:
        click.echo(json.dumps({**asdict(answer), "leakage": asdict(guard.leakage)}))
    else:
        click.echo(describe_answer(answer, unit=guard.metric.name))


def describe_answer(answer: ReferenceAnswer, *, unit: str) -> str:
    """Describe an answer in one line."""
    whose = "the pinned predictions" if answer.reference is None else f"attempt {answer.reference}, the pinned one"
    if answer.question is None:
        return f"Not worse: these are {whose}. Nothing was asked."
    again = f" Asked before, as question {answer.question}; nothing was charged." if answer.is_repeat else ""
    if answer.not_worse:
        return f"Not worse: at most {answer.margin:g} {unit} behind {whose}.{again}"
    return (
        f"Not shown: these may be more than {answer.margin:g} {unit} behind {whose}; "
        f"this holdout cannot rule it out.{again}"
    )
