"""A simulated agent that searches all night, steered by a raw holdout and by a holdout service.

The model in use is the best there is, by construction: the truth is linear and the model knows it, so that every change
makes it worse. The agent does what agents do: change the model, ask the holdout, keep what looks better. The raw
holdout applauds all night. The service, which runs in a process of its own and alone has the labels, does not.

    python examples/agent_overnight.py --models 400 --out agent_overnight.svg
"""

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

import ladderboard as lb

FEATURES, HOLDOUT_ITEMS, FRESH_ITEMS, STEP = 100, 500, 200_000, 0.2

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float32]
Labels = npt.NDArray[np.int64]
Judge = Callable[[Labels], bool]


@dataclass(frozen=True)
class World:
    """Inputs and labels; the fresh ones stand for the world and are never shown to the agent."""

    weights: Vector
    inputs: Matrix
    labels: Labels
    fresh_inputs: Matrix
    fresh_labels: Labels

    @classmethod
    def draw(cls, rng: np.random.Generator) -> "World":
        weights = rng.normal(size=FEATURES) / np.sqrt(FEATURES)
        inputs = rng.standard_normal((HOLDOUT_ITEMS + FRESH_ITEMS, FEATURES), dtype=np.float32)
        labels = (inputs @ weights + 0.7 * rng.normal(size=len(inputs)) > 0).astype(np.int64)
        here, fresh = slice(HOLDOUT_ITEMS), slice(HOLDOUT_ITEMS, None)
        return cls(weights, inputs[here], labels[here], inputs[fresh], labels[fresh])

    def predict(self, weights: Vector) -> Labels:
        return (self.inputs @ weights > 0).astype(np.int64)

    def true_accuracy(self, weights: Vector) -> float:
        """The accuracy on fresh items, known to a standard error of about .001."""
        return float(np.mean((self.fresh_inputs @ weights > 0) == self.fresh_labels))


@dataclass(frozen=True)
class Night:
    """What the agent believed after each model, and what was true."""

    shown: list[float]
    true: list[float]
    kept: int


def search(world: World, is_better: Judge, models: int, rng: np.random.Generator) -> Night:
    """Change a weight of the model in use at random and keep whatever the judge prefers."""
    weights, kept = world.weights, 0
    shown: list[float] = []
    true: list[float] = []
    is_better(world.predict(weights))  # the model in use is what others must beat
    for _ in range(models):
        trial = weights.copy()
        trial[rng.integers(FEATURES)] += STEP * rng.normal()
        if is_better(world.predict(trial)):
            weights, kept = trial, kept + 1
        shown.append(float(np.mean(world.predict(weights) == world.labels)))
        true.append(true[-1] if true and weights is not trial else world.true_accuracy(weights))
    return Night(shown, true, kept)


def judge_by_raw_accuracy(labels: Labels) -> Judge:
    """The usual way: the holdout's accuracy is higher than ever before."""
    best = 0.0

    def is_better(predictions: Labels) -> bool:
        nonlocal best
        accuracy = float(np.mean(predictions == labels))
        was, best = best, max(best, accuracy)
        return accuracy > was

    return is_better


def judge_by(holdout: lb.RemoteHoldout) -> Judge:
    """Ask the service. A change that alters no prediction repeats the proven entry, and is no news."""

    def is_better(predictions: Labels) -> bool:
        release = holdout.score(predictions)
        return release.improved and not release.is_repeat

    return is_better


@contextmanager
def serve_holdout(labels: Labels, folder: Path) -> Iterator[lb.RemoteHoldout]:
    """The commands of docs/guide/holdout-service.md; in life, another user runs them."""
    (folder / "labels.csv").write_text("y\n" + "\n".join(map(str, labels)) + "\n")
    command = [str(Path(sys.executable).with_name("ladderboard")), "holdout"]
    init = ["init", "labels.csv", "--metric", "accuracy", "--to", "holdout.db", "--seed", "7"]
    subprocess.run([*command, *init], cwd=folder, check=True, capture_output=True)  # noqa: S603 (our own command)
    added = [*command, "clients", "add", "holdout.db", "agent"]
    token = subprocess.run(added, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603 (ours)
    served = [*command, "serve", "holdout.db", "--labels", "labels.csv", "--port", "0"]
    with subprocess.Popen(served, cwd=folder, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 (our own command)
        assert process.stdout is not None
        url = process.stdout.readline().split(" is served at ")[1].split(". Stop")[0]
        with lb.RemoteHoldout(url, token=token) as holdout:
            yield holdout
        process.terminate()


def draw(nights: dict[str, Night], out: Path) -> None:
    """Save the picture: what was shown as lines, what was true as dashes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 10, "svg.hashsalt": "ladderboard"})
    figure, axes = plt.subplots(figsize=(8, 4.2), layout="constrained")
    for (name, night), colour in zip(nights.items(), ("#b3413a", "#1f6f5c"), strict=True):
        axes.plot(night.shown, color=colour, linewidth=2, label=f"{name}: accuracy on the holdout")
        axes.plot(night.true, color=colour, linewidth=1.5, linestyle=(0, (4, 3)), label=f"{name}: true accuracy")
    axes.set(xlabel="models tried in the night", ylabel="accuracy of the model kept")
    axes.set_title("The agent's night, steered by a raw holdout and by a service", loc="left")
    axes.legend(frameon=False, loc="upper right", bbox_to_anchor=(1, 0.8))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out, metadata={"Date": None} if out.suffix == ".svg" else None, dpi=150)


def main() -> None:
    """Run both nights, print how they ended, draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where the picture goes (.svg or .png)")
    given = parser.parse_args()
    world = World.draw(np.random.default_rng(given.seed))
    nights = {}
    with TemporaryDirectory() as folder, serve_holdout(world.labels, Path(folder)) as holdout:
        judges = {"raw holdout": judge_by_raw_accuracy(world.labels), "service": judge_by(holdout)}
        for name, is_better in judges.items():
            nights[name] = search(world, is_better, given.models, np.random.default_rng(given.seed + 1))
        attempts = holdout.attempts
    print(f"{given.models} models, none of them better than the first")
    for name, night in nights.items():
        ends = f"holdout accuracy {night.shown[0]:.3f} → {night.shown[-1]:.3f}"
        print(f"{name + ':':13}{night.kept:3} kept; {ends}; true accuracy {night.true[0]:.3f} → {night.true[-1]:.3f}")
    print(f"the service counted {attempts} attempts")
    if given.out:
        draw(nights, given.out)


if __name__ == "__main__":
    main()
