"""An Inspect task set under a loop: Inspect runs the candidates, open samples steer, guarded samples certify.

A candidate is a solver. Inspect runs it on the samples that the loop asks about, in as many epochs as there are runs;
the loop's grader judges what it answers. The model here is scripted: it reads numbers with commas only if told to.

    python examples/loop_inspect.py      # needs inspect-ai; asks no model
"""

import tempfile
from typing import Any

import inspect_ai
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Solver, generate, system_message

import ladderboard as lb

EPOCHS = 2
SAMPLES = [
    Sample(id=f"q{n}", input=f"{1000 * n:,} + {n}" if n % 3 else f"{n} + {n}", target=str(1001 * n if n % 3 else 2 * n))
    for n in range(1, 201)
]


def answer(messages: list[Any], *_: Any) -> ModelOutput:
    """The scripted model."""
    question, is_told = messages[-1].text, any("commas" in one.text for one in messages[:-1])
    if is_told:
        question = question.replace(",", "")
    try:
        said = str(sum(int(part) for part in question.split(" + ")))
    except ValueError:
        said = "I cannot read this"
    output = ModelOutput.from_content("scripted", said)
    output.usage = ModelUsage()  # else Inspect counts tokens, for which it wants a file from the network
    return output


def run_solver(solver: Solver, folder: str) -> Any:
    """What answers all tasks at once: Inspect, with this solver."""

    def run_all(tasks: list[Any]) -> dict[str, list[str]]:
        samples = [Sample(id=one["id"], input=one["input"]) for one in tasks]
        model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
        (log,) = inspect_ai.eval(
            inspect_ai.Task(dataset=samples, solver=solver, name="sums"),
            model=model,
            epochs=EPOCHS,
            log_dir=folder,
            display="none",
        )
        runs: dict[str, list[str]] = {}
        for one in log.samples or []:
            runs.setdefault(str(one.id), []).append(one.output.completion)
        return runs

    return run_all


def main() -> None:
    """Propose two prompts."""
    tasks = [{"id": one.id, "input": one.input, "target": one.target} for one in SAMPLES]
    with tempfile.TemporaryDirectory() as folder, lb.Loop(tasks, grade, path=":memory:", seed=1) as loop:
        for name, prompt in (("in use", "Add."), ("mended", "Add. Numbers may have commas.")):
            told = loop.propose_runs(run_solver([system_message(prompt), generate()], folder), name=name)
            print(f"{name}: {told.describe()}")
            for sentence in told.explain():
                print(f"  {sentence}")


def grade(item: Any, output: Any) -> bool:
    """The pinned grader: Inspect's `match`, in one line."""
    return bool(output.strip() == item["target"])


if __name__ == "__main__":
    main()
