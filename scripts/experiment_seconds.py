"""How long each experiment of the laboratory takes at its quick size, for `ladderboard lab reproduce --list`.

    OMP_NUM_THREADS=1 python -m scripts.experiment_seconds > src/ladderboard_lab/experiments/quick_seconds.json

Seconds of processor time of one process, with nothing left over from the experiment before: figures that share their
runs are each charged for them.
"""

import gc
import json
import sys
import time
from functools import _lru_cache_wrapper

from ladderboard_lab.experiments import EXPERIMENTS, Conditions, experiment_named


def main() -> None:
    """Print a JSON object: id → seconds."""
    found = {}
    for identifier in EXPERIMENTS:
        experiment = experiment_named(identifier)
        _forget_runs()
        start = time.process_time()
        experiment.run(Conditions(quick=True, workers=1))
        found[identifier] = round(time.process_time() - start, 1)
        print(identifier, found[identifier], file=sys.stderr, flush=True)
    print(json.dumps(found, indent=2))


def _forget_runs() -> None:
    for one in gc.get_objects():
        if isinstance(one, _lru_cache_wrapper) and one.__module__.startswith("ladderboard_lab."):
            one.cache_clear()


if __name__ == "__main__":
    main()
