"""Sketches: a few other rows change a few buckets, and angles are about right."""

import numpy as np

from ladderboard.server.moderation.sketches import Sketcher, Sketches


def test_a_sketch_tells_rows_that_differ_and_correlations() -> None:
    rng = np.random.default_rng(2)
    sketcher, values = Sketcher(5000, b"secret"), rng.normal(3, 1, 5000)
    sketch = sketcher.sketch(values)
    other = values.copy()
    other[:4] += 1
    assert 1 <= Sketches.of([sketcher.sketch(other)]).count_changed_buckets(sketch)[0] <= 4
    assert set(sketcher.hash_bands(sketch)) & set(sketcher.hash_bands(sketcher.sketch(other)))
    for rho in (0.0, 0.5, 0.99):
        mixed = rho * (values - 3) + np.sqrt(1 - rho**2) * rng.normal(size=5000) + 100
        found = sketcher.compute_correlations(sketch, Sketches.of([sketcher.sketch(mixed)]))[0]
        # The error of 128 buckets is about (1 − ρ²)/√128; four times that is met once in 16,000 runs.
        assert abs(found - rho) < 4 * (1 - rho**2) / np.sqrt(128) + 0.03


def test_a_sketch_takes_classes_and_several_columns() -> None:
    rng = np.random.default_rng(3)
    sketcher = Sketcher(1000, b"secret")
    for predicted in (
        rng.integers(0, 7, 1000),
        rng.dirichlet(np.ones(5), 1000),
        rng.integers(0, 2, 1000, dtype=np.int8),
    ):
        again = predicted.copy()
        again[10] = again[11] = predicted[(predicted != predicted[10]).reshape(1000, -1).any(axis=1)][0]
        changed = Sketches.of([sketcher.sketch(again)]).count_changed_buckets(sketcher.sketch(predicted))
        assert 1 <= changed[0] <= 2
        assert sketcher.count_unusual(np.zeros_like(predicted)) == 0


def test_a_sketch_takes_texts() -> None:
    texts = np.random.default_rng(4).choice(["a b", "b a", "", "c"], 1000).astype(object)
    sketcher, other = Sketcher(1000, b"secret"), texts.copy()
    other[[10, 20]] = "something else"
    changed = Sketches.of([sketcher.sketch(other)]).count_changed_buckets(sketcher.sketch(texts))
    assert 1 <= changed[0] <= 2
    assert sketcher.count_unusual(np.full(1000, "a b", dtype=object)) == 0
    assert sketcher.count_unusual(other) > 600
