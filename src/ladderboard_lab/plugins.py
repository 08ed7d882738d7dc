"""Mechanisms, attacks, problems and experiments from outside the package: files of your own and entry points.

What is loaded from a file can be sent to other processes and to a Dask cluster, which do not have the file: its
classes and functions travel by value.
"""

import importlib.util
import inspect
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import ladderboard as lb
from ladderboard_lab import attacks
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.foreign_code import FILE_PREFIX, GROUPS

if TYPE_CHECKING:
    from ladderboard_lab.attack_runs import ProblemMaker


def load_from_file(place: str) -> Any:
    """The object at ``file.py:name``; raises `ParameterError` with what is wrong."""
    path, _, name = place.rpartition(":")
    module = _load_module(Path(path).resolve())
    if not hasattr(module, name):
        own = [known for known, made in vars(module).items() if known[0] != "_" and _is_made_in(module, made)]
        raise lb.ParameterError(f"{path} has no {name!r}; it has {', '.join(own) or 'nothing that could be meant'}")
    return getattr(module, name)


def _is_made_in(module: ModuleType, made: Any) -> bool:
    """Whether a class or function, or the function that an experiment runs, was written in the module."""
    return module.__name__ in (getattr(made, "__module__", ""), getattr(getattr(made, "run", None), "__module__", ""))


@cache
def list_entry_points(group: str) -> tuple[str, ...]:
    """The names that installed packages register in the group."""
    return tuple(sorted(point.name for point in entry_points(group=group)))


def load_entry_point(group: str, name: str) -> Any:
    """What an installed package registers under that name."""
    (found,) = entry_points(group=group, name=name)
    try:
        return found.load()
    except (ImportError, AttributeError) as error:
        raise lb.ParameterError(f"{name} of {found.value} cannot be loaded: {error}") from error


MECHANISMS, ATTACKS, _ = GROUPS
CALLS: dict[type, dict[str, tuple[int, tuple[str, ...]]]] = {
    lb.Mechanism: {"rule": (4, ())},
    Attack: {"misfit": (1, ()), "run": (1, ("budget", "rng"))},
}
"""What the laboratory calls, with how many arguments in order and which by name."""


def find_mechanism_class(place: str) -> "type[lb.Mechanism]":
    """The mechanism of that name: one of ours, of an installed package, or ``file.py:Class``."""
    found: type[lb.Mechanism] = _find_class(place, lb.Mechanism, lb.MECHANISMS, group=MECHANISMS, word="mechanism")
    return found


def find_attack_class(place: str) -> type[Attack]:
    """The attack of that name: one of ours, of an installed package, or ``file.py:Class``."""
    found: type[Attack] = _find_class(place, Attack, attacks.ATTACKS, group=ATTACKS, word="attack")
    return found


def find_mechanism(place: str) -> "str | lb.Mechanism":
    """A contestant of the arena: the name of a variant as it is, or a mechanism from outside with its defaults."""
    return find_mechanism_class(place)() if _is_outside(place, MECHANISMS) else place


def find_attack(place: str) -> str | type[Attack]:
    """An attack of the arena: the name of ours as it is, or a class from outside."""
    return find_attack_class(place) if _is_outside(place, ATTACKS) else place


def find_problem(place: str) -> "str | ProblemMaker":
    """A problem: the name of ours as it is, or the function at ``file.py:function`` of a generator and n."""
    from ladderboard_lab.attack_runs import PROBLEMS  # which draws, and so needs the experiments, which need this file

    if place in PROBLEMS:
        return place
    if ".py:" not in place:
        raise lb.ParameterError(_unknown("problem", place, PROBLEMS).replace("file.py:Class", "file.py:function"))
    found = load_from_file(place)
    if not callable(found):
        raise lb.ParameterError(f"{place} is no function; a problem is made by a function of a generator and n")
    maker: ProblemMaker = found
    return maker


def _is_outside(place: str, group: str) -> bool:
    return ".py:" in place or place in list_entry_points(group)


def _find_class(place: str, base: type, known: Mapping[str, type], *, group: str, word: str) -> Any:
    if place in known:
        return known[place]
    if not _is_outside(place, group):
        raise lb.ParameterError(_unknown(word, place, [*known, *list_entry_points(group)]))
    found = load_from_file(place) if ".py:" in place else load_entry_point(group, place)
    if not (isinstance(found, type) and issubclass(found, base)):
        raise lb.ParameterError(f"{place} is no {word}: it must be a class that extends {base.__name__}")
    missing = [name for name in base.__annotations__ if not hasattr(found, name)]
    missing += sorted(getattr(found, "__abstractmethods__", ()))
    if missing:
        raise lb.ParameterError(f"{place} lacks {', '.join(missing)}; give every one of them on the class")
    _check_calls(place, found, CALLS[base])
    return found


def _check_calls(place: str, found: type, calls: Mapping[str, tuple[int, tuple[str, ...]]]) -> None:
    """Refuse a method that cannot be called as the laboratory calls it."""
    for name, (positional, named) in calls.items():
        try:
            inspect.signature(getattr(found, name)).bind(*[None] * (1 + positional), **dict.fromkeys(named))
        except TypeError as error:
            raise lb.ParameterError(
                f"{place}: {name} cannot be called as {_spell_call(found, name)}: {error}"
            ) from None


def _spell_call(found: type, name: str) -> str:
    """The signature of the class that first asked for the method."""
    first = next(base for base in reversed(found.__mro__) if name in vars(base))
    words = [one.name for one in inspect.signature(getattr(first, name)).parameters.values()]
    return f"{name}({', '.join(words)})"


def _unknown(word: str, name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    names = sorted(known)
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"there is no {word} {name!r}; {hint}Known: {', '.join(names)}, or file.py:Class"


@cache
def _load_module(path: Path) -> ModuleType:
    if not path.is_file():
        raise lb.ParameterError(f"there is no file {path}")
    name = f"{FILE_PREFIX}{blake2b(str(path).encode(), digest_size=6).hexdigest()}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        words = f"{path.name} cannot be imported: {type(error).__name__}: {error}"
        if isinstance(error, ModuleNotFoundError) and path.with_name(f"{error.name}.py").is_file():
            words += f". A file stands alone: move what it needs of {error.name}.py into it, or install a package"
        raise lb.ParameterError(words) from error
    _send_by_value(module)
    return module


def _send_by_value(module: ModuleType) -> None:
    """Let joblib and Dask, each with a pickler of its own, send the classes along: workers have no such file."""
    for pickler in ("joblib.externals.cloudpickle", "cloudpickle"):
        with suppress(ModuleNotFoundError):  # older versions of joblib bring their own, newer ones do not
            importlib.import_module(pickler).register_pickle_by_value(module)
