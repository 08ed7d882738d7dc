"""Files of known programs that hold no scores of items, or not in a form that is read, and what to give instead."""

import re
from collections.abc import Sequence
from pathlib import Path

from ladderboard.core.errors import InputError

OTHER_FORM = "is a table in another form than records; write it with to_json(orient='records'), or as CSV"
_ANSWER = (
    r'\s*"(?:dataset|datasplit|generator|id|index|input|instruction|metadata|new_prompt|original_output|output)"\s*:\s*'
    r'(?:"(?:[^"\\]|\\.)*"|\d+|null)\s*,?'
)
"""A part of a record of AlpacaEval's model_outputs.json."""
_HINTS = (
    (
        r'\A\s*\{\s*"(?:columns|index)"\s*:\s*\[|\A\s*\{\s*"[^"]*"\s*:\s*\{\s*"0"\s*:\s*[^{\s]',
        OTHER_FORM,
    ),
    (
        r'\A\s*\{\s*"id"\s*:[^{}\[]*"termination_reason"\s*:',
        "is a single simulation of tau2-bench; give the folder above it, with results.json",
    ),
    (
        r'"schema_version"\s*:\s*"ATIF',
        "is the trajectory of an agent in one trial of Harbor; give the job's folder",
    ),
    (
        r'\A\s*\{[^{}]*"definition_path"\s*:[^{}]*\}',
        "describes a scenario of HELM; give the run's folder, with per_instance_stats.json",
    ),
    (
        r'\A\s*\{\s*"results"\s*:.*"group_subtasks"\s*:.*"samples"\s*:\s*\{',
        "is what lm-eval's simple_evaluate returned; give that to collect_evaluations in Python, or run lm_eval with "
        "--log_samples and give its folder",
    ),
    (
        r'"submitting_organization"\s*:.*"pass_1"\s*:',
        "has tau2-bench's pass rates of whole domains and no tasks; give the simulations behind them, the trajectories",
    ),
    (
        r'\A\s*\[\s*\{.*?"output_1"\s*:\s*"',
        "holds AlpacaEval's comparisons of a system with a reference; write a table with the columns item "
        "(instruction), system (generator_2) and score (preference - 1), and give it with --higher-is-better",
    ),
    (
        rf'\A\s*\[\s*\{{(?=(?:{_ANSWER})*\s*"generator")(?:{_ANSWER})+\s*\}}',
        "holds a system's answers, which are not judged yet; judge them with alpaca_eval, and of its annotations.json "
        "write a table with the columns item (instruction), system (generator_2) and score (preference - 1)",
    ),
    (
        r'\A\s*\{\s*"[^"]+"\s*:\s*\{\s*"repository"\s*:\s*"[^"]*"\s*,\s*"time"\s*:',
        "lists the instances of Multi-SWE-bench and no results; give the folders of the systems beside it, with "
        "results/results.json",
    ),
    (
        r'\A\s*\{\s*"[^"]+\.(?:eval|json)"\s*:\s*\{.*"task_id"\s*:',
        "is an index of Inspect's logs, without their samples; give the folder with the logs themselves",
    ),
    (
        r'"request_states"\s*:|"adapter_spec"\s*:',
        "is a part of a HELM run without its scores; give the run's folder, with per_instance_stats.json",
    ),
    (
        r'\A\s*\[\s*\{\s*"name"\s*:\s*\{\s*"name"\s*:',
        "holds HELM's statistics of a whole run; give per_instance_stats.json, which helm-run writes beside it",
    ),
    (
        r'"evaluation_results"\s*:.*"evaluation_name"\s*:',
        "holds one score for each evaluation and no samples; give the samples of Every Eval Ever (…_samples.jsonl)",
    ),
    (
        r'"model_patch"\s*:',
        "holds patches that were not yet tried; give the report that swebench.harness.run_evaluation writes of them",
    ),
    (
        r'"origin_prompt"\s*:.*"prediction"\s*:',
        "holds predictions of OpenCompass; give its folder results/, written with --dump-eval-details",
    ),
    (r'\A\s*\{\s*"0"\s*:\s*\{|\A\s*\{\s*"schema"\s*:\s*\{\s*"fields"|\A\s*\[\s*\[', OTHER_FORM),
)
_HINTS_BY_CONTENT = [(re.compile(pattern, re.DOTALL), hint) for pattern, hint in _HINTS]


OPENCOMPASS_SUMMARY = ("dataset", "version", "metric", "mode")


def refuse_summary(file: str, columns: Sequence[str]) -> None:
    """Refuse the table that OpenCompass writes of all datasets."""
    if tuple(columns[:4]) == OPENCOMPASS_SUMMARY:
        raise InputError(
            f"{file} is a summary of OpenCompass with one number for each dataset; give its folder results/, written "
            "with --dump-eval-details, which adds the items"
        )


def explain_unusable(path: Path, opening: str) -> str | None:
    """What a file of a known program is, and which of its files to give; None for a file of no known program."""
    for pattern, hint in _HINTS_BY_CONTENT:
        if pattern.search(opening):
            return hint
    outputs = path.parent.parent
    if outputs.name == "results" and (outputs.parent / "predictions").is_dir():
        return "has one number for a whole dataset; run OpenCompass with --dump-eval-details, which adds the items"
    return None
