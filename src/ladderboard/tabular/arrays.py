"""Arrays in NPY and NPZ files; none of them pickled."""

from pathlib import Path

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.metrics.inputs import Array


def read_array(path: Path) -> Array:
    """The array of an NPY file."""
    try:
        array: Array = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (OSError, ValueError, EOFError):
        raise InputError(f"{path.name} is not a .npy file of plain numbers or text") from None
    return array


def read_arrays(path: Path) -> dict[str, Array]:
    """The arrays of an NPZ file by their names."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (ValueError, OSError, EOFError) as problem:
        raise InputError(f"{path.name} is not an NPZ file of plain arrays: {problem}") from None
