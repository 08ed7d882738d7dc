"""The `--metric` option: a built-in name, or `path/to/file.py:name` for a custom metric."""

import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, TypeVar

import click

from ladderboard.core.errors import ParameterError
from ladderboard.metrics import find_metric
from ladderboard.metrics.base import Metric
from ladderboard.metrics.custom import metric_from_function

Command = TypeVar("Command", bound=Callable[..., Any])


def add_metric_options(default: str | None = None) -> Callable[[Command], Command]:
    """Add `--metric` and what a bare function needs to a command, which reads them with `MetricOption.take`."""
    shown: dict[str, Any] = {"required": True} if default is None else {"default": default, "show_default": True}
    options = (
        click.option("--metric", **shown, help="A metric's name, or path/to/file.py:function for your own."),
        click.option(
            "--lower-is-better/--higher-is-better", default=None, help="Which values of your function are better."
        ),
        click.option("--takes", default="numbers", show_default=True, help="What your function takes as predictions."),
        click.option("--positive", metavar="CLASS", help="Of two classes the one that predictions are about."),
    )

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@dataclass(frozen=True)
class MetricOption:
    """The metric as named on the command line; direction and kind matter only for a bare function.

    ``positive`` is the positive class of two, as it is written.
    """

    name: str
    lower_is_better: bool | None = None
    takes: str = "numbers"
    positive: str | None = None

    @classmethod
    def take(cls, options: dict[str, Any]) -> Self:
        """Take the metric's options out of a command's ``options``."""
        return cls(*(options.pop(name) for name in ("metric", "lower_is_better", "takes", "positive")))

    def resolve(self) -> "MetricOption":
        """Return the option with an absolute path, valid in every directory."""
        path, separator, name = self.name.rpartition(":")
        return replace(self, name=f"{Path(path).absolute()}:{name}") if separator else self

    def load(self) -> Metric:
        """Load the metric."""
        path, separator, name = self.name.rpartition(":")
        metric = self._load_file(Path(path), name) if separator else find_metric(name)
        return metric if self.positive is None else metric.with_positive(self.positive)

    def _load_file(self, path: Path, name: str) -> Metric:
        found = _load(path, name)
        if inspect.isclass(found) and issubclass(found, Metric):
            found = found()
        if isinstance(found, Metric):
            return found
        if not callable(found):
            raise ParameterError(f"{name} in {path.name} is neither a metric nor a function of (labels, predictions)")
        if self.lower_is_better is None:
            raise ParameterError(f"which values of {name} are better? Add --lower-is-better or --higher-is-better")

        return metric_from_function(found, lower_is_better=self.lower_is_better, takes=self.takes)


def _load(path: Path, name: str) -> Any:
    """Load the object called ``name`` from a Python file."""
    if not path.is_file():
        raise ParameterError(f"there is no file {path}; give a custom metric as path/to/file.py:function")
    specification = importlib.util.spec_from_file_location(f"_metric_of_{path.stem}", path)
    if specification is None or specification.loader is None:
        raise ParameterError(f"{path.name} is not a Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module  # dataclasses and pickle look their module up there
    try:
        specification.loader.exec_module(module)
    except Exception as problem:
        raise ParameterError(f"{path.name} failed to run: {type(problem).__name__}: {problem}") from problem
    if not hasattr(module, name):
        raise ParameterError(f"{path.name} defines no {name!r}")
    return getattr(module, name)
