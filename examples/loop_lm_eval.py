"""An lm-eval task under a loop: the harness runs the candidates, open documents steer, guarded ones certify.

`simple_evaluate(samples=…)` runs the documents that the loop asks about. The grader takes what the harness scored, so
the harness must be run by the referee. The model here is scripted.

    python examples/loop_lm_eval.py      # needs lm-eval; asks no model
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import lm_eval
from lm_eval.api.model import LM

import ladderboard as lb

ROWS = [{"question": f"Is {n} even?", "choices": ["yes", "no"], "label": n % 2} for n in range(200)]


class Scripted(LM):  # type: ignore[misc,unused-ignore]  # lm-eval need not be installed
    """A model that looks at the last digit, and knows some digits."""

    def __init__(self, known: str) -> None:
        super().__init__()
        self.known = known

    def loglikelihood(self, requests: list[Any], **_: Any) -> list[tuple[float, bool]]:
        """Likely is what it believes."""
        found = []
        for context, continuation in (one.args for one in requests):
            digit = context.split(" even")[0][-1]
            believed = "yes" if digit not in self.known or int(digit) % 2 == 0 else "no"
            found.append((-0.1 if continuation.strip() == believed else -2.0, False))
        return found

    def loglikelihood_rolling(self, requests: list[Any], **_: Any) -> list[float]:
        """Not asked."""
        raise NotImplementedError

    def generate_until(self, requests: list[Any], **_: Any) -> list[str]:
        """Not asked."""
        raise NotImplementedError


def main() -> None:
    """Propose two models."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "data.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
        task = {
            "task": "parity",
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": {"test": str(Path(folder) / "data.jsonl")}, "cache_dir": folder},
            "test_split": "test",
            "output_type": "multiple_choice",
            "doc_to_text": "{{question}}",
            "doc_to_choice": "{{choices}}",
            "doc_to_target": "{{label}}",
            "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
        }

        def run_model(model: LM) -> Any:
            def run_all(tasks: list[Any]) -> dict[str, float]:
                wanted = {"parity": [int(one["id"]) for one in tasks]}
                found = lm_eval.simple_evaluate(model=model, tasks=[task], samples=wanted, bootstrap_iters=0)
                return {str(one["doc_id"]): one["acc"] for one in found["samples"]["parity"]}

            return run_all

        tasks = [{"id": n, "input": row["question"]} for n, row in enumerate(ROWS)]
        with lb.Loop(tasks, lambda _, output: output, path=":memory:", seed=1) as loop:
            for name, known in (("in use", "13"), ("mended", "13579")):
                told = loop.propose_runs(run_model(Scripted(known)), name=name)
                print(f"{name}: {told.describe()}")


if __name__ == "__main__":
    main()
