"""A random search on pure noise, with a raw and with a guarded holdout score.

The labels are coin flips unrelated to any feature, so every model has a true error rate of one half. An Optuna search
tries 500 of them on one holdout. The best raw score always looks like a discovery; the guard says "improved" in few
searches, if in any.

    python examples/optuna_noise.py --seeds 20 --trials 500 --out optuna_noise.svg
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import optuna
from scipy.stats import binom

import ladderboard as lb

TRAINING_ITEMS, HOLDOUT_ITEMS, FEATURES = 60, 600, 300

Matrix = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Noise:
    """A training set and a holdout set with nothing to learn."""

    training: Matrix
    training_labels: Labels
    holdout: Matrix
    labels: Labels

    @classmethod
    def draw(cls, seed: int) -> "Noise":
        rng = np.random.default_rng(seed)
        training, holdout = rng.normal(size=(TRAINING_ITEMS, FEATURES)), rng.normal(size=(HOLDOUT_ITEMS, FEATURES))
        return cls(training, rng.integers(0, 2, TRAINING_ITEMS), holdout, rng.integers(0, 2, HOLDOUT_ITEMS))

    def predictions_of(self, trial: optuna.Trial) -> Labels:
        """A ridge classifier on some of the features, as the trial's parameters say."""
        count = trial.suggest_int("features", 2, 12)
        penalty = trial.suggest_float("penalty", 1e-3, 1e3, log=True)
        chosen = np.random.default_rng(trial.suggest_int("subset", 0, 10**9)).choice(FEATURES, count, replace=False)
        inputs = self.training[:, chosen]
        weights = np.linalg.solve(
            inputs.T @ inputs + penalty * np.eye(count), inputs.T @ (2 * self.training_labels - 1)
        )
        return (self.holdout[:, chosen] @ weights > 0).astype(np.int64)


@dataclass(frozen=True)
class Outcome:
    """How one search of ``trials`` trials ended."""

    raw_best: float
    """The lowest error rate that raw scoring saw."""
    naive_p_value: float
    """How unlikely that error rate would be, had it been the only one."""
    guarded_best: float
    """What the guard shows in the end."""
    claims: int
    """How often the guard said "improved"; every time is a false claim."""


def search(seed: int, trials: int) -> Outcome:
    """The same 500 models scored twice: raw, and by the guard."""
    noise = Noise.draw(seed)
    holdout = lb.Holdout(noise.labels, metric="error_rate", path=":memory:", seed=seed)
    errors: list[float] = []

    def objective(trial: optuna.Trial) -> float:
        predictions = noise.predictions_of(trial)
        errors.append(float(np.mean(predictions != noise.labels)))
        release = holdout.score(predictions)
        trial.set_user_attr("improved", release.improved)
        assert release.value is not None
        return release.value

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed))
    study.optimize(objective, n_trials=trials)
    return Outcome(
        raw_best=min(errors),
        naive_p_value=float(binom.cdf(round(min(errors) * HOLDOUT_ITEMS), HOLDOUT_ITEMS, 0.5)),
        guarded_best=study.trials[-1].value or 0.0,
        claims=sum(trial.user_attrs["improved"] for trial in study.trials),
    )


def table_of(outcomes: list[Outcome], trials: int) -> str:
    """The outcome of all searches in four lines."""
    raw, p = [one.raw_best for one in outcomes], [one.naive_p_value for one in outcomes]
    guarded, false = [one.guarded_best for one in outcomes], sum(one.claims > 0 for one in outcomes)
    return "\n".join([
        f"{len(outcomes)} searches of {trials} models without skill; the true error rate of each is 0.5",
        f"raw score of the best:   median {np.median(raw):.3f}, from {min(raw):.3f} to {max(raw):.3f}",
        f"  its naive p-value:     at most {max(p):.2g}; below .05 in {sum(one < 0.05 for one in p)} searches",
        f"guarded score:           median {np.median(guarded):.3f}; 'improved' in {false} searches",
    ])  # fmt: skip


def draw(outcomes: list[Outcome], trials: int, out: Path) -> None:
    """Every search as a pair of points, in the order of the raw score."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 10, "svg.hashsalt": "ladderboard"})
    ordered = sorted(outcomes, key=lambda one: one.raw_best)
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    axes.axhline(0.5, color="#888", linewidth=1, linestyle=(0, (4, 3)), label="true error rate of every model")
    axes.plot([one.guarded_best for one in ordered], "o", color="#1f6f5c", label="shown by the guard")
    axes.plot([one.raw_best for one in ordered], "o", color="#b3413a", label=f"raw score of the best of {trials}")
    axes.set(xlabel="search", ylabel="error rate on the holdout", xticks=[])
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center right")
    figure.savefig(out, metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Read the options, run, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20, help="how many searches")
    parser.add_argument("--trials", type=int, default=500, help="models in each search")
    parser.add_argument("--out", type=Path, help="write the picture (SVG) here")
    options = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    outcomes = [search(seed, options.trials) for seed in range(options.seeds)]
    print(table_of(outcomes, options.trials))
    if options.out:
        draw(outcomes, options.trials, options.out)


if __name__ == "__main__":
    main()
