"""lm-eval called from Python: what `simple_evaluate` returned, as results that can be ranked or scored on a guard."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ladderboard.core.errors import InputError
from ladderboard.evals import LossMatrix
from ladderboard.evals.results import read_matrix_results


def collect_evaluations(evaluations: Mapping[str, Mapping[str, Any] | None], **options: Any) -> LossMatrix:
    """The results of models by their names, as ``lm_eval.simple_evaluate`` returned them.

    ``options`` are those of `read_results`, such as ``metric="acc"``.

        results = collect_evaluations({"ours": lm_eval.simple_evaluate(ours, tasks=["arc_easy"])}, metric="acc")
        lb.rank_ranges(results)
        holdout.score(results)
    """
    with TemporaryDirectory() as place:
        folder = Path(place, "evaluations")
        for number, (model, evaluation) in enumerate(evaluations.items()):
            _write(folder / str(number), model, evaluation)
        return read_matrix_results(folder, **options)


def _write(folder: Path, model: str, evaluation: Mapping[str, Any] | None) -> None:
    """The files that lm-eval writes with --log_samples."""
    if evaluation is None:
        raise InputError(f"{model}: lm-eval returned nothing; of several processes only the first has the results")
    if "samples" not in evaluation:
        raise InputError(f"{model}: the evaluation has no samples; call simple_evaluate(…, log_samples=True)")
    folder.mkdir(parents=True)
    date = datetime.fromtimestamp(float(evaluation.get("date") or 0), UTC).strftime("%Y-%m-%dT%H-%M-%S.%f")
    for task, samples in evaluation["samples"].items():
        lines = "".join(json.dumps(sample, default=str) + "\n" for sample in samples)
        (folder / f"samples_{task}_{date}.jsonl").write_text(lines, encoding="utf-8")
    rest = {name: value for name, value in evaluation.items() if name != "samples"}
    named = rest | {"model_name": model, "model_source": model}
    (folder / f"results_{date}.json").write_text(json.dumps(named, default=str), encoding="utf-8")
