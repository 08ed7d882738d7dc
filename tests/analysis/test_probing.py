"""Probing in recorded submissions."""

import numpy as np

from ladderboard.analysis.probing import find_probing


def test_runs_of_small_changes_are_found_and_honest_work_is_not() -> None:
    rng = np.random.default_rng(1)
    start = rng.integers(0, 2, 1000)
    probes, files = start.copy(), []
    for row in range(7):
        probes = probes.copy()
        probes[3 * row : 3 * row + 3] ^= 1
        files.append(("probe", probes))
    honest = [("honest", np.where(rng.random(1000) < 0.1, 1 - start, start)) for _ in range(10)]
    real_valued = [("graded", rng.random(1000)) for _ in range(10)]
    repairs = [("repairs", np.where(np.arange(1000) < row, 1 - start, start)) for row in range(4)]
    runs = find_probing([*files, *honest, *real_valued, *repairs])
    assert [(run.team, run.submissions, run.most_rows) for run in runs] == [("probe", 7, 3)]
    assert runs[0].sentence().startswith("probe: 7 submissions in a row differ in at most 3 rows")


def test_the_same_file_again_is_no_probe() -> None:
    assert find_probing([("again", np.zeros(500))] * 9) == ()
