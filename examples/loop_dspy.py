"""GEPA under a loop: open tasks are what DSPy optimises on, and the loop accepts or refuses each new prompt.

The metric is the loop's own grader, and the acceptance is "kept". DSPy never sees a guarded task: the loop runs a
program on them itself, where the open ones are convinced. Both models here are scripted: one answers better with each
rule that its prompt has, the other adds rules, of which some do nothing.

    python examples/loop_dspy.py      # needs dspy and gepa; asks no model
"""

import argparse
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dspy

import ladderboard as lb

FRUITS = ("apples", "pears", "plums", "figs")
TASKS = [{"id": n, "input": f"{n} {FRUITS[n % 4]}", "answer": str(n)} for n in range(240)]
RULES = ("Mind the weather.", "Count pears.", "Be brief.", "Count plums.", "Think twice.", "Count figs.")


def answer(prompt: str) -> str:
    """The scripted model: it counts apples, and other fruits where its prompt has the rule."""
    number, fruit = prompt.rpartition("[[ ## question ## ]]\n")[2].split()[:2]
    can_count = fruit == "apples" or f"Count {fruit}" in prompt
    return f"[[ ## answer ## ]]\n{number if can_count else 'unknown'}\n\n[[ ## completed ## ]]"


def reflect(prompt: str) -> str:
    """The scripted model that writes prompts: the former one and a rule more, useful or not."""
    former = [rule for rule in RULES if rule in prompt]
    rule = RULES[int(hashlib.sha256(prompt.encode()).hexdigest(), 16) % len(RULES)]
    rules = " ".join(dict.fromkeys([*former, rule]))
    return json.dumps({"new_instruction": f"Answer. {rules}"})


@dataclass
class Scripted:
    """An engine of DSPy that is a function of the text it is asked."""

    say: Callable[[str], str]

    def complete(self, request: Any) -> Any:
        """Answer a request."""
        system = request.system if isinstance(request.system, str) else _join(request.system or ())
        text = "\n".join([system, *(_join(one.parts) for one in request.messages)])
        part = dspy.lm15.TextPart(self.say(text))
        message = dspy.lm15.Message(role="assistant", parts=(part,))
        usage = dspy.lm15.Usage(input_tokens=0, output_tokens=0, total_tokens=0)
        return dspy.lm15.Response(id=None, model=request.model, message=message, finish_reason="stop", usage=usage)


def _join(parts: Any) -> str:
    return "\n".join(getattr(part, "text", "") for part in parts)


@dataclass
class KeptByLoop:
    """GEPA's criterion of acceptance: what the loop keeps."""

    loop: lb.Loop
    program: dspy.Module

    def should_accept(self, proposal: Any, _: Any) -> bool:
        """Propose the new prompts to the loop."""
        return self.propose(proposal.candidate).kept

    def propose(self, prompts: dict[str, str]) -> lb.Proposal:
        """Propose the program with these prompts."""
        changed = self.program.deepcopy()
        for name, predictor in changed.named_predictors():
            predictor.signature = predictor.signature.with_instructions(prompts[name])
        name = " ".join(prompts.values())
        told = self.loop.propose(lambda item: changed(question=item["input"]).answer, repeats=1, name=name)
        print(told.describe(), "|", name)
        return told


def grade(item: Any, output: str) -> bool:
    """The pinned grader."""
    return bool(output == item["answer"])


def main() -> None:
    """Let GEPA optimise a prompt."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=600, help="metric calls that GEPA may make")
    given = parser.parse_args()
    dspy.configure(lm=dspy.LM("scripted", engine=Scripted(answer), cache=False))
    program = dspy.Predict(dspy.Signature("question -> answer", "Answer."))
    with lb.Loop(TASKS, grade, path=":memory:", seed=1) as loop:
        items = {one["id"]: one for one in loop.open.tasks}
        examples = [dspy.Example(id=one, question=item["input"]).with_inputs("question") for one, item in items.items()]

        def metric(gold: Any, predicted: Any, *_: Any) -> Any:
            score = float(grade(items[gold.id], predicted.answer))
            return dspy.Prediction(score=score, feedback="right" if score else f"{gold.question} was not counted")

        judge = KeptByLoop(loop, program)
        judge.propose({name: one.signature.instructions for name, one in program.named_predictors()})  # what is in use
        optimiser = dspy.GEPA(
            metric=metric,
            max_metric_calls=given.calls,
            reflection_lm=dspy.LM("scripted", engine=Scripted(reflect), cache=False),
            use_merge=False,
            num_threads=1,
            seed=1,
            gepa_kwargs={"acceptance_criterion": judge},
        )
        optimiser.compile(program, trainset=examples, valset=examples)
        print(loop.report().sentence())
        print(loop.report().summarise())


if __name__ == "__main__":
    main()
