"""Sketches of submissions' predictions, which find near-duplicates without reading old files.

Every row has a secret bucket and a secret sign; a sketch is the signed sum of the predictions in each bucket. A few
other rows change a few buckets and leave the rest equal to the bit; and the angle between two (centred) sketches is
about that between the predictions themselves. Nothing here knows a label or which rows are public.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ladderboard.core.randomness import derive_generator
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.metrics.inputs import Array

BUCKETS = 128
BANDS = 8
"""Neighbouring buckets are hashed together in bands: up to seven changed rows leave one band unchanged."""
LOOKS = 9

Sums = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Sketch:
    """The sketch of one submission. ``mean``: of its predictions, projected to one number for each row."""

    sums: Sums
    mean: float

    def to_bytes(self) -> bytes:
        return np.float32(self.mean).tobytes() + self.sums.tobytes()


@dataclass(frozen=True, eq=False)
class Sketches:
    """The sketches of several submissions, one in each row."""

    sums: Sums
    means: Sums

    @classmethod
    def of(cls, sketches: Sequence[Sketch]) -> "Sketches":
        return cls.from_bytes([sketch.to_bytes() for sketch in sketches])

    @classmethod
    def from_bytes(cls, contents: Sequence[bytes]) -> "Sketches":
        """Read stored sketches."""
        values = np.frombuffer(b"".join(contents), dtype=np.float32).reshape(len(contents), 1 + BUCKETS)
        return cls(values[:, 1:], values[:, 0])

    def __len__(self) -> int:
        return len(self.sums)

    def count_changed_buckets(self, sketch: Sketch) -> IntArray:
        """Estimate how many rows of each differ from the sketch, if few do."""
        return np.asarray(np.count_nonzero(self.sums != sketch.sums, axis=1))


class Sketcher:
    """The buckets and signs of one competition; ``secret`` keeps anybody from making collisions."""

    def __init__(self, rows: int, secret: bytes) -> None:
        rng = derive_generator(secret, "sketch")
        self.rows = rows
        self._buckets = rng.integers(0, BUCKETS, rows, dtype=np.uint8)
        self._signs = rng.integers(0, 2, rows, dtype=np.int8) * 2 - 1
        self._weights: FloatArray = rng.standard_normal(4096)
        """Weights of classes, or of columns if a prediction has several."""
        self._looks = rng.integers(0, rows, LOOKS)
        self._key = secret[:32]

    def sketch(self, predictions: Array) -> Sketch:
        """Sketch canonical predictions: class codes, numbers, or several numbers for each row."""
        values = self._project(predictions)
        sums = np.bincount(self._buckets, weights=values * self._signs, minlength=BUCKETS)
        return Sketch(sums.astype(np.float32), float(values.mean()))

    def hash_bands(self, sketch: Sketch) -> list[int]:
        """Hash each band to a signed integer of 64 bits."""
        found = []
        for band, part in enumerate(sketch.sums.reshape(BANDS, -1)):
            digest = hashlib.blake2b(part.tobytes(), digest_size=8, key=self._key, person=band.to_bytes(2, "big"))
            found.append(int.from_bytes(digest.digest(), "big", signed=True))
        return found

    def compute_directions(self, sketches: Sketches) -> FloatArray:
        """Center sketches and scale them to length one: their products approximate correlations; 0 for constants."""
        centred = sketches.sums.astype(np.float64) - np.outer(sketches.means, self._signed_rows)
        lengths = np.linalg.norm(centred, axis=1, keepdims=True)
        return np.asarray(np.divide(centred, lengths, out=np.zeros_like(centred), where=lengths > 0))

    def compute_correlations(self, sketch: Sketch, others: Sketches) -> FloatArray:
        """Estimate the correlation of these predictions with each of the others."""
        return np.asarray(self.compute_directions(others) @ self.compute_directions(Sketches.of([sketch]))[0])

    def count_unusual(self, predictions: Array) -> int:
        """Count the rows that differ from the most common prediction, which is estimated from a few rows."""
        looks = predictions[self._looks]
        looks = looks.astype(str) if looks.dtype.kind == "O" else looks  # which can be sorted by rows
        values, counts = np.unique(looks, axis=0, return_counts=True)
        differs = predictions != values[counts.argmax()]
        return int(np.count_nonzero(differs if differs.ndim == 1 else differs.any(axis=1)))

    def _project(self, predictions: Array) -> FloatArray:
        if predictions.dtype.kind == "O":
            return np.fromiter(map(self._weigh_text, predictions.tolist()), dtype=np.float64, count=len(predictions))
        if predictions.ndim > 1:
            return np.asarray(predictions @ self._weights[: predictions.shape[1]], dtype=np.float64)
        if predictions.dtype.kind == "f":
            return np.asarray(predictions, dtype=np.float64)
        return np.asarray(self._weights[predictions.astype(np.intp) % len(self._weights)])

    def _weigh_text(self, text: str) -> float:
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=2, key=self._key).digest()
        return float(self._weights[int.from_bytes(digest, "big") % len(self._weights)])

    @cached_property
    def _signed_rows(self) -> FloatArray:
        return np.asarray(np.bincount(self._buckets, weights=self._signs, minlength=BUCKETS), dtype=np.float64)
