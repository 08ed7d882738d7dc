"""Ladderboard: a leaderboard that cannot be climbed by luck.

The public names stand in `__init__.pyi`, one line each. They are lazy (PEP 562): a name's module is imported when the
name is first used, so that ``import ladderboard`` and ``ladderboard --help`` cost next to nothing.
"""


def _read_public_names() -> dict[str, str]:
    """The module of each public name. The lines read ``from module import name as name``."""
    # pathlib, re, ast and typing would each take longer to import than everything here.
    with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as stub:  # noqa: PTH123 (see above)
        statements = [line.split() for line in stub if line.startswith("from ")]
    return {name: module for _, module, _, name, *_ in statements}


_MODULE_OF = _read_public_names()
__all__ = sorted([*_MODULE_OF, "__version__"])  # noqa: PLE0605 (a list of strings, made here)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        value: object = version("ladderboard")
    elif name in _MODULE_OF:
        # As `from module import name`, which also finds a module in a package.
        value = getattr(__import__(_MODULE_OF[name], fromlist=(name,)), name)
    else:
        from ladderboard.mechanisms import find_class

        value = find_class(name)  # a new mechanism is public without a line in the stub
        if value is None:
            raise AttributeError(f"module 'ladderboard' has no attribute {name!r}")
        return value
    globals()[name] = value  # found here directly from now on
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
