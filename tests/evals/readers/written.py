"""Files as the programs write them: the same fields in the same places, with as little else as possible."""

import json
import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DATE = "2026-11-17T12-27-07.954315"


def write_json(path: Path, document: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2))
    return path


def write_lm_eval(
    folder: Path,
    model: str,
    scores: Mapping[str, Sequence[float]],
    *,
    task: str = "tiny",
    filters: Sequence[str] = ("none",),
    date: str = DATE,
    results: bool = True,
    higher: bool = True,
    salt: str = "",
    aggregates: Mapping[str, float] | None = None,
    arguments: Mapping[str, str] | str | None = None,
    source: str = "hf",
) -> Path:
    """Samples and results as lm_eval 0.4.13 with --log_samples writes them; scores are means unless ``aggregates``."""
    place = folder / model.replace("/", "__")
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"samples_{task}_{date}.jsonl"
    count = len(next(iter(scores.values())))
    with path.open("w") as file:
        for filtered in filters:
            for item in range(count):
                record = {
                    "doc_id": item,
                    "doc": {"q": f"q{item}", "label": item % 2, "passage": item // 2},
                    "target": str(item % 2),
                    "arguments": {"gen_args_0": {"arg_0": f"q{item}", "arg_1": " a"}},
                    "resps": [[["-0.1", "False"]]],
                    "filtered_resps": [["-0.1", "False"]],
                    "filter": filtered,
                    "metrics": list(scores),
                    "doc_hash": f"{salt}{item:064x}",
                    "prompt_hash": f"{item:064x}",
                    "target_hash": f"{item % 2:064x}",
                    **{name: values[item] for name, values in scores.items()},
                }
                file.write(json.dumps(record) + "\n")
    if results:
        means = {name: sum(values) / count for name, values in scores.items() if isinstance(values[0], float)}
        own = {
            f"{name},{filtered}": mean
            for name, mean in (means | dict(aggregates or {})).items()
            for filtered in filters
        }
        document = {
            "results": {task: {"name": task, "alias": task, "sample_len": count, **own}},
            "group_subtasks": {},
            "configs": {task: {"task": task}},
            "versions": {task: 1.0},
            "higher_is_better": {task: dict.fromkeys(scores, higher)},
            "config": {"model": source, "model_args": {"pretrained": model} if arguments is None else arguments},
            "lm_eval_version": "0.4.13",
            "model_source": source,
            "model_name": model,
        }
        write_json(place / f"results_{date}.json", document)
    return path


def inspect_log(
    model: str,
    grades: Mapping[str, Sequence[Any]],
    *,
    status: str = "success",
    created: str = "2026-11-17T12:26:40+00:00",
    task: str = "arith",
    limit: int | None = None,
) -> dict[str, Any]:
    """A log as inspect_ai 0.3 writes it: ``grades`` has the value of each epoch for each sample."""
    samples = [
        {
            "id": item,
            "epoch": epoch,
            "input": f"{item}?",
            "target": "1",
            "metadata": {"passage": f"p{number // 2}"},
            "scores": {"match": {"value": value, "answer": "1", "explanation": "1", "history": []}},
        }
        for number, (item, values) in enumerate(grades.items())
        for epoch, value in enumerate(values, start=1)
    ]
    metrics = {"accuracy": {"name": "accuracy", "value": 0.5, "params": {}}}
    header = {
        "version": 2,
        "status": status,
        "eval": {
            "eval_id": "x",
            "created": created,
            "task": task,
            "task_id": "y",
            "model": model,
            "dataset": {"samples": len(grades) if limit is None else 2 * limit},
            "config": {} if limit is None else {"limit": limit},
        },
        "results": {"scores": [{"name": "match", "scorer": "match", "metrics": metrics}]},
    }
    return {**header, "samples": samples}


def write_inspect(path: Path, log: dict[str, Any], *, zstandard: bool = True) -> Path:
    """An ``.eval`` log with the members that are read, packed as inspect_ai packs them."""
    members = {
        "_journal/start.json": b"{}",
        "summaries.json": json.dumps(log["samples"]).encode(),
        "header.json": json.dumps({key: value for key, value in log.items() if key != "samples"}).encode(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    if not zstandard:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        return path
    path.write_bytes(_zip_of_zstandard(members))
    return path


def _zip_of_zstandard(members: Mapping[str, bytes]) -> bytes:
    """A zip archive of method 93, which ``zipfile`` cannot write before Python 3.14."""
    from zlib import crc32

    import zstandard

    body, directory = b"", b""
    for name, data in members.items():
        packed, encoded = zstandard.ZstdCompressor().compress(data), name.encode()
        fields = struct.pack("<HHHHHIIIHH", 63, 0, 93, 0, 33, crc32(data), len(packed), len(data), len(encoded), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 63) + fields
        directory += struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + encoded
        body += b"PK\x03\x04" + fields + encoded + packed
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end


def write_helm(
    folder: Path, model: str, scores: Sequence[float], *, spec: bool = True, task: str = "mmlu:subject=philosophy"
) -> Path:
    """A run folder as HELM writes it; the first instance comes a second time, perturbed."""
    place = folder / f"{task}{',' if ':' in task else ':'}model={model.replace('/', '_')}"

    def entry(item: int, score: float, **more: object) -> dict[str, Any]:
        def stat(name: str, mean: float) -> dict[str, Any]:
            return {"name": {"name": name, "split": "test"}, "count": 1, "sum": mean, "mean": mean, "variance": 0.0}

        stats = [stat("exact_match", score), stat("num_prompt_tokens", 300.0)]
        return {"instance_id": f"id{item}", "train_trial_index": 0, **more, "stats": stats}

    entries = [entry(item, score) for item, score in enumerate(scores)]
    entries.append(entry(0, 0.0, perturbation={"name": "robustness", "robustness": True}))
    entries.append(
        {
            "instance_id": "id900",
            "train_trial_index": 0,
            "stats": [{"name": {"name": "exact_match", "split": "valid"}, "count": 1, "sum": 1, "mean": 1}],
        }
    )
    write_json(place / "stats.json", [])
    write_json(place / "scenario_state.json", {"adapter_spec": {}})
    if spec:
        write_json(place / "run_spec.json", {"name": place.name, "adapter_spec": {"model": model}})
    return write_json(place / "per_instance_stats.json", entries)


def write_swe_report(folder: Path, model: str, resolved: Sequence[str], unresolved: Sequence[str]) -> Path:
    """A report as swebench.harness.run_evaluation writes it."""
    document = {
        "total_instances": len(resolved) + len(unresolved),
        "submitted_instances": len(resolved) + len(unresolved),
        "completed_instances": len(resolved) + len(unresolved),
        "resolved_instances": len(resolved),
        "unresolved_instances": len(unresolved),
        "completed_ids": [*resolved, *unresolved],
        "incomplete_ids": [],
        "submitted_ids": [*resolved, *unresolved],
        "resolved_ids": list(resolved),
        "unresolved_ids": list(unresolved),
        "error_ids": [],
        "schema_version": 2,
    }
    return write_json(folder / f"{model}.run1.json", document)


def write_eee(
    folder: Path,
    model: str,
    scores: Sequence[float | None],
    *,
    lower_is_better: bool | None = None,
    task: str = "mmlu",
    timestamp: str = "1754092800",
) -> Path:
    """Samples of the instance-level schema 0.2.1, and the aggregate beside them."""
    place = folder / task / model
    place.mkdir(parents=True, exist_ok=True)
    path = place / "5917cc37_samples.jsonl"
    with path.open("w") as file:
        for item, score in enumerate(scores):
            record = {
                "schema_version": "0.2.1",
                "evaluation_id": f"{task}/1",
                "model_id": model,
                "evaluation_name": task,
                "sample_id": f"id{item}",
                "sample_hash": f"{item:064x}",
                "interaction_type": "single_turn",
                "input": {"raw": f"q{item}", "reference": ["A"]},
                "output": {"raw": [" D"]},
                "answer_attribution": [],
                "evaluation": {"score": score, "is_correct": bool(score)},
            }
            file.write(json.dumps(record) + "\n")
    if lower_is_better is not None:
        result = {"evaluation_name": task, "metric_config": {"lower_is_better": lower_is_better}}
        document = {"schema_version": "0.2.1", "evaluation_timestamp": timestamp, "evaluation_results": [result]}
        write_json(place / "5917cc37.json", document)
    return path


def write_opencompass(
    folder: Path, model: str, answers: Sequence[float | None], *, task: str = "gsm8k", date: str = "20261117_122707"
) -> Path:
    """A result as OpenCompass with --dump-eval-details writes it."""
    details = {
        str(item): {"prompt": "q", "predictions": "A", "references": "A"}
        | ({} if answer is None else {"correct": bool(answer)})
        for item, answer in enumerate(answers)
    }
    document = {"accuracy": 50.0, "details": {"type": "GEN", **details}}
    return write_json(folder / date / "results" / model / f"{task}.json", document)


def write_results(
    folder: Path,
    model: str,
    scores: Mapping[str, float],
    *,
    date: str = DATE,
    effective: int = 817,
    groups: Mapping[str, Sequence[str]] | None = None,
) -> Path:
    """Results of tasks as lm_eval 0.4.13 without --log_samples writes them."""
    document = {
        "results": {
            task: {"alias": task, "acc,none": score, "acc_stderr,none": 0.01} for task, score in scores.items()
        },
        "group_subtasks": groups or {},
        "configs": {task: {"task": task} for task in scores},
        "versions": dict.fromkeys(scores, 1.0),
        "n-samples": {task: {"original": 817, "effective": effective} for task in scores},
        "higher_is_better": {task: {"acc": True} for task in scores},
        "config": {"model": "hf", "limit": None if effective == 817 else float(effective)},
        "model_name": model,
    }
    return write_json(folder / model.replace("/", "__") / f"results_{date}.json", document)
