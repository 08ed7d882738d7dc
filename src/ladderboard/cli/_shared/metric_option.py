"""The `--metric` option: a name of ours, or `path/to/file.py:name` for one of the user's own."""

import importlib.util
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ladderboard.core.errors import ParameterError
from ladderboard.metrics import find_metric
from ladderboard.metrics.base import Metric


@dataclass(frozen=True)
class MetricOption:
    """What the command line says of the metric; direction and kind matter only where a bare function is given."""

    name: str
    lower_is_better: bool | None = None
    takes: str = "numbers"

    def located(self) -> "MetricOption":
        """The same, valid in every directory."""
        path, separator, name = self.name.rpartition(":")
        return MetricOption(f"{Path(path).absolute()}:{name}" if separator else name, self.lower_is_better, self.takes)

    def metric(self) -> Metric:
        """The metric these options stand for."""
        path, separator, name = self.name.rpartition(":")
        return self._from_file(Path(path), name) if separator else find_metric(name)

    def _from_file(self, path: Path, name: str) -> Metric:
        found = _load(path, name)
        if inspect.isclass(found) and issubclass(found, Metric):
            found = found()
        if isinstance(found, Metric):
            return found
        if not callable(found):
            raise ParameterError(f"{name} in {path.name} is neither a metric nor a function (labels, predictions)")
        if self.lower_is_better is None:
            raise ParameterError(f"which values of {name} are better? Say --lower-is-better or --higher-is-better")
        from ladderboard.metrics.custom import metric_from_function

        return metric_from_function(found, lower_is_better=self.lower_is_better, takes=self.takes)


def _load(path: Path, name: str) -> Any:
    """The object called ``name`` in a Python file."""
    if not path.is_file():
        raise ParameterError(f"there is no file {path}; a metric of your own is given as path/to/file.py:function")
    specification = importlib.util.spec_from_file_location(f"_metric_of_{path.stem}", path)
    if specification is None or specification.loader is None:
        raise ParameterError(f"{path.name} is not a Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module  # dataclasses and pickle look their module up there
    try:
        specification.loader.exec_module(module)
    except Exception as problem:
        raise ParameterError(f"{path.name} cannot be run: {type(problem).__name__}: {problem}") from problem
    if not hasattr(module, name):
        raise ParameterError(f"{path.name} defines no {name!r}")
    return getattr(module, name)
