"""Reading a harness's folder into a loss matrix, against parsing its JSON and nothing else."""

import json
import tempfile
from pathlib import Path

import numpy as np

import ladderboard as lb
from benchmarks.row import Row, compare

ITEMS, SYSTEMS = 1000, 200
ROUNDS = 2
PROMPT = "The following are multiple choice questions (with answers) about philosophy. " * 4


def run() -> list[Row]:
    """One row: samples of lm-evaluation-harness as it writes them, a folder for each of 200 models."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for system in range(SYSTEMS):
            _write_samples(folder, system)
        what = f"read lm-eval samples, {ITEMS:,} × {SYSTEMS}, against parsing the JSON"
        return [compare(what, lambda _: _read(folder), lambda _: _parse(folder), target=3.0, rounds=ROUNDS)]


def _read(folder: Path) -> None:
    results = lb.read_results(folder)
    assert isinstance(results, lb.LossMatrix)
    assert results.losses.shape == (ITEMS, SYSTEMS)


def _parse(folder: Path) -> None:
    for path in sorted(folder.rglob("samples_*.jsonl")):
        with path.open("rb") as file:
            for line in file:
                json.loads(line)


def _write_samples(folder: Path, system: int) -> None:
    right = np.random.default_rng(system).random(ITEMS) < 0.6
    path = folder / f"model-{system}" / "samples_mmlu_2026-11-17T12-27-07.954315.jsonl"
    path.parent.mkdir()
    with path.open("w") as file:
        for item in range(ITEMS):
            record = {
                "doc_id": item,
                "doc": {"question": f"{PROMPT} {item}?", "choices": ["A", "B", "C", "D"], "answer": item % 4},
                "target": str(item % 4),
                "arguments": {f"gen_args_{k}": {"arg_0": f"{PROMPT} {item}?", "arg_1": " A"} for k in range(4)},
                "resps": [[["-1.25", "False"]]] * 4,
                "filtered_resps": [["-1.25", "False"]] * 4,
                "filter": "none",
                "metrics": ["acc"],
                "doc_hash": f"{item:064x}",
                "prompt_hash": f"{item:064x}",
                "target_hash": f"{item:064x}",
                "acc": float(right[item]),
            }
            file.write(json.dumps(record) + "\n")
