"""Tasks and outputs in the files of Inspect and lm-eval, as these programs write them."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import ladderboard as lb
from ladderboard.guard.tasks import TaskList, read_outputs


def write_inspect(path: Path, answers: dict[str, list[str]], *, status: str = "success", **more: Any) -> Path:
    """An .eval log as Inspect 0.3.285 writes it, with as little else as possible."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps({"status": status, "eval": {"task": "sums", "model": "m"}}))
        for name, completions in answers.items():
            for epoch, said in enumerate(completions, 1):
                sample = {"id": name, "epoch": epoch, "input": f"question {name}", "target": name.upper(), **more}
                sample["output"] = {"choices": [{"message": {"content": said}}], "completion": said}
                archive.writestr(f"samples/{name}_epoch_{epoch}.json", json.dumps(sample))
    return path


def write_lm_eval(path: Path, answers: list[Any], *, filters: tuple[str, ...] = ("none",)) -> Path:
    """Samples as lm-eval 0.4.13 writes them with --log_samples."""
    lines = [
        {
            "doc_id": number,
            "doc": {"q": f"question {number}"},
            "target": str(number),
            "arguments": {
                f"gen_args_{place}": {"arg_0": f"question {number}", "arg_1": f" {place}"}
                for place in range(len(answer))
            },
            "resps": [[one] for one in answer],
            "filtered_resps": answer,
            "filter": name,
            "metrics": ["acc"],
            "doc_hash": f"{number:064x}",
            "acc": 1.0,
        }
        for name in filters
        for number, answer in enumerate(answers)
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_a_log_of_inspect_gives_tasks_and_the_runs_of_its_epochs(tmp_path: Path) -> None:
    log = write_inspect(tmp_path / "a.eval", {"b": ["2", "3"], "a": ["1", "4"]})
    tasks = TaskList.read(log)
    assert tasks.ids == ("a", "b")
    assert tasks.tasks[0] == {"id": "a", "input": "question a", "target": "A"}
    assert tasks.show()[0] == {"id": "a", "input": "question a"}
    assert read_outputs(log) == {"a": ["1", "4"], "b": ["2", "3"]}


def test_choices_are_asked_too_and_targets_are_not_shown(tmp_path: Path) -> None:
    log = write_inspect(tmp_path / "a.eval", {"a": ["A"], "b": ["B"]}, choices=["one", "two"], metadata={"why": "so"})
    assert TaskList.read(log).show()[1] == {"id": "b", "input": {"question": "question b", "choices": ["one", "two"]}}


def test_samples_of_lm_eval_give_tasks_and_answers(tmp_path: Path) -> None:
    file = write_lm_eval(tmp_path / "samples_sums_2026.jsonl", [["4"], ["5"]])
    tasks = TaskList.read(file)
    assert [one["input"] for one in tasks.tasks] == ["question 0", "question 1"]
    assert [one["target"] for one in tasks.tasks] == ["0", "1"]
    assert list(read_outputs(file).values()) == [["4"], ["5"]]
    assert set(read_outputs(file)) == set(tasks.ids)


def test_answers_to_several_requests_of_lm_eval_are_one_output(tmp_path: Path) -> None:
    file = write_lm_eval(tmp_path / "samples.jsonl", [[["-0.1", "False"], ["-2.0", "False"]]] * 2)
    assert TaskList.read(file).tasks[0]["input"] == {"context": "question 0", "continuations": [" 0", " 1"]}
    runs = TaskList.read(file).arrange(read_outputs(file))
    assert runs[0] == [[["-0.1", "False"], ["-2.0", "False"]]]


def test_documents_of_another_edition_are_unknown(tmp_path: Path) -> None:
    """Their numbers are the same, their contents are not."""
    tasks = TaskList.read(write_lm_eval(tmp_path / "one.jsonl", [["4"], ["5"]]))
    edited = read_outputs(_edit(tmp_path / "one.jsonl"))
    with pytest.raises(lb.PredictionsError, match="no output for"):
        tasks.arrange(edited)


def _edit(path: Path) -> Path:
    lines = [json.loads(line) | {"doc_hash": "e" * 64} for line in path.read_text().splitlines()]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.mark.parametrize("status", ["started", "error", "cancelled"])
def test_a_log_that_is_not_finished_is_refused(tmp_path: Path, status: str) -> None:
    log = write_inspect(tmp_path / "a.eval", {"a": ["1"]}, status=status)
    with pytest.raises(lb.InputError, match=f"the status is '{status}', not 'success'; run it to its end"):
        TaskList.read(log)


def test_what_is_ambiguous_or_broken_is_refused(tmp_path: Path) -> None:
    both = write_lm_eval(tmp_path / "samples.jsonl", [["4"], ["5"]], filters=("strict", "flexible"))
    assert len(TaskList.read(both)) == 2
    with pytest.raises(lb.PredictionsError, match="the answers of several filters: flexible, strict; keep the lines"):
        read_outputs(both)
    (tmp_path / "cut.eval").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(lb.InputError, match=r"cut\.eval is not a complete Inspect log"):
        TaskList.read(tmp_path / "cut.eval")
    failed = write_inspect(tmp_path / "b.eval", {"a": ["1"]}, error={"message": "no"})
    with pytest.raises(lb.PredictionsError, match="sample 'a' ended with an error; run it again"):
        read_outputs(failed)


def test_a_loop_is_made_of_a_log_and_proposed_other_logs(tmp_path: Path) -> None:
    names = [f"s{number}" for number in range(80)]
    write_inspect(tmp_path / "tasks.eval", {name: [""] for name in names})
    with lb.Loop(tmp_path / "tasks.eval", lambda item, output: output == item["target"], seed=1) as loop:
        for right in (40, 70):
            answers = {name: [name.upper() if n < right else "?"] * 2 for n, name in enumerate(names)}
            told = loop.propose(read_outputs(write_inspect(tmp_path / f"{right}.eval", answers)))
        assert (told.kept, told.certified) == (True, True)
