"""The user's options for a file of results, for what the file does not say itself."""

from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Literal, get_args

from ladderboard.core.errors import ParameterError

Kind = Literal["losses", "correct", "scores", "predictions"]
Missing = Literal["error", "drop_items", "worst"]
Reruns = Literal["fullest", "latest", "repeats"]
OPTIONS = {"covariates": "--covariate", "higher_is_better": "--higher-is-better or --lower-is-better"}
"""On the command line, where it is not the name itself."""


@dataclass(frozen=True)
class ReadOptions:
    """The options of `read_results`, checked against each other."""

    kind: Kind | None = None
    higher_is_better: bool | None = None
    metric: tuple[str, ...] = ()
    labels_column: str | None = None
    items_column: str | None = None
    groups_column: str | None = None
    tasks_column: str | None = None
    systems: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    table: str | None = None
    missing: Missing = "error"
    missing_value: str | None = None
    bounds: tuple[float, float] | None = None
    reruns: Reruns = "fullest"
    item_count: int | None = None
    constant: bool = False
    cost: str | None = None
    judge_column: str | None = None
    human_column: str | None = None
    covariates: tuple[str, ...] = ()
    names: str | None = None
    seed_column: str | None = None
    prompt_column: str | None = None

    def __post_init__(self) -> None:
        _check_choice("kind", self.kind, (None, *get_args(Kind)))
        _check_choice("missing", self.missing, get_args(Missing))
        _check_choice("reruns", self.reruns, get_args(Reruns))
        if self.kind == "losses" and self.higher_is_better:
            raise ParameterError("losses are lower where they are better; say kind='scores' for scores")
        if self.kind in ("correct", "predictions") and self.higher_is_better is False:
            raise ParameterError(f"kind={self.kind!r} means that 1 is right; say kind='losses' where 1 is an error")
        if self.kind == "predictions" and self.labels_column is None:
            raise ParameterError(
                "predictions need labels_column (--labels-column), the name of the column with the true labels"
            )
        if self.names is not None and self.has_condition_columns:
            raise ParameterError("seeds and prompts are told by names (--names) or by columns; say one of them")
        if self.kind == "predictions" and len(self.metric) > 1:
            raise ParameterError("predictions are scored by one metric")

    @property
    def has_condition_columns(self) -> bool:
        """Whether columns of a long table name seeds or prompts."""
        return self.seed_column is not None or self.prompt_column is not None

    def refuse_unused(self, file: str, what: str, used: Collection[str]) -> None:
        """Raise where an option was given that says nothing about such a file: it would be ignored silently."""
        for field in fields(self):
            if field.name not in used and getattr(self, field.name) != field.default:
                option = OPTIONS.get(field.name, "--" + field.name.replace("_", "-"))
                raise ParameterError(f"{file} {what}, and {option} says nothing about them; leave it out")


def _check_choice(name: str, value: str | None, choices: tuple[str | None, ...]) -> None:
    if value not in choices:
        raise ParameterError(f"{name} is {value!r}; it must be one of {', '.join(filter(None, choices))}")
