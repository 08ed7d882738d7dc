"""An agent climbs 100 open tasks by luck; the certified score does not move until the agent is truly better.

The agent answers yes or no. Each of its edits guesses anew at one answer in 20, and it keeps what scores higher on the
open tasks. After 40 edits it learns the answers of every second task, wherever they are; then it goes on as before.

    python examples/loop_overfits.py --out picture.svg
"""

import argparse
from pathlib import Path

import numpy as np

import ladderboard as lb

TASKS, FURTHER, EDITS = 200, 20_000, 40


def main() -> None:
    """Run the agent and print what each score says of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="An .svg, .md or .html file to write.")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    answers = rng.integers(0, 2, TASKS + FURTHER)  # the further tasks, which nobody asks, say what is true
    agent = rng.integers(0, 2, TASKS + FURTHER)
    tasks = [{"id": n, "input": f"question {n}", "answer": int(answers[n])} for n in range(TASKS)]
    truth: dict[int, float] = {}
    with lb.Loop(tasks, lambda item, output: output == item["answer"], path=":memory:", seed=given.seed) as loop:

        def propose(candidate: np.ndarray) -> lb.Proposal:
            told = loop.propose({n: int(candidate[n]) for n in range(TASKS)})
            truth[told.number] = float(np.mean(candidate[TASKS:] == answers[TASKS:]))
            return told

        def climb(start: np.ndarray, kept: lb.Proposal) -> np.ndarray:
            for _ in range(EDITS):
                guesses = rng.integers(0, 2, len(start))
                edited = np.where(rng.random(len(start)) < 0.05, guesses, start)
                told = propose(edited)
                if told.kept:
                    start, kept = edited, told
            print(f"after {EDITS} edits the open score is {kept.open_score:.3f}, the true one {truth[kept.number]:.3f}")
            print(f"  certified: {loop.best}")
            return start

        climbed = climb(agent, propose(agent))
        better = np.where(rng.random(len(climbed)) < 0.5, answers, climbed)
        told = propose(better)
        print(f"truly better: open score {told.open_score:.3f}, true score {truth[told.number]:.3f}")
        print(f"  certified: {told.board_value}")
        climb(better, told)
        if given.out is not None:
            loop.report(truth).write(given.out)


if __name__ == "__main__":
    main()
