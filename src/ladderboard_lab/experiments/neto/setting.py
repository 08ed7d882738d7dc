"""The setting of Neto et al.: the size of the paper's data, its grid of mechanisms, and repeated attacks on them.

The paper's own data (ADNI) is not public. A stand-in has its size (628 items, a third each to train, for the board and
private), 300 features of which neighbours correlate by .9, and responses without any relation to them; a user's CSV
file can take its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions
from ladderboard_lab.participant import FloatArray
from ladderboard_lab.planning.step_forward_runs import step_forward_run
from ladderboard_lab.problems.base import Problem
from ladderboard_lab.problems.regression import RegressionData, simulate_regression, split_regression

PAPER = "Neto"
ITEMS, PUBLIC, FEATURES, ITERATIONS = 628, 209, 300, 6
ALPHAS = (0.01, 0.15, 0.5)
REPLICATES = (1000, 100, 10)


@dataclass(frozen=True)
class Panel:
    """One mechanism of the grid; ``replicates`` is b, None for the ladder without a bootstrapped release."""

    alpha: float
    replicates: int | None
    mechanism: "lb.Mechanism"
    label: str = ""

    @property
    def name(self) -> str:
        plain = "Ladder" if self.replicates is None else f"LadderBoot, b = {self.replicates}"
        return self.label or plain


def mse_panels() -> list[Panel]:
    """The ladder and LadderBoot with three b, for three levels: 12 panels, row by row."""
    return [panel for alpha in ALPHAS for panel in (ladder_panel(alpha), *(boot_panel(alpha, b) for b in REPLICATES))]


def ladder_panel(alpha: float) -> Panel:
    """The ladder at that level, with a plain release."""
    return Panel(alpha, None, lb.SignificanceLadder(alpha))


def boot_panel(alpha: float, b: int) -> Panel:
    """Fresh noise on every query, as in the paper."""
    return Panel(alpha, b, lb.LadderBoot(alpha, b, redraw=True))


def ccc_panels(gate_replicates: int) -> list[Panel]:
    """The same grid with the Bayesian bootstrap as the gate: odds of (1 − α)/α, for any metric."""
    panels = []
    for alpha in ALPHAS:
        odds = (1 - alpha) / alpha
        panels.append(Panel(alpha, None, lb.BayesBootLadder(odds, gate_replicates), "Bayesian ladder"))
        panels += [
            Panel(alpha, b, lb.BayesBootLadderBoot(odds, gate_replicates, b, redraw=True), f"Bayesian ladder, b = {b}")
            for b in REPLICATES
        ]
    return panels


@dataclass(frozen=True, eq=False)
class Setting:
    """What is attacked; travels to the workers.

    ``data`` None: simulated afresh for every repetition, with ``signal`` the share of the response that the features
    explain. ``permuted``: the response loses its relation to the features.
    """

    mechanisms: tuple["lb.Mechanism", ...]
    metric: str = "mse"
    items: int = ITEMS
    public: int | None = None
    private: int | None = None
    features: int = FEATURES
    iterations: int = ITERATIONS
    correlation: float = 0.9
    signal: float = 0.0
    data: RegressionData | None = None
    permuted: bool = True


def setting_for(conditions: Conditions, panels: Sequence[Panel], **changes: object) -> Setting:
    """The paper's size or the user's data.

    Quick runs have a larger private part: the same medians, with less noise, from fewer repetitions.
    """
    setting = replace(Setting(tuple(panel.mechanism for panel in panels)), **changes)  # type: ignore[arg-type]
    if conditions.data is not None and conditions.target is not None:
        from ladderboard_lab.problems.regression_file import read_regression_table

        data = read_regression_table(conditions.data, target=conditions.target).first(setting.features)
        return replace(setting, data=data, items=len(data.response), features=data.features.shape[1])
    if conditions.quick:
        part = setting.items // 3
        return replace(setting, items=setting.items - part + 1500, public=part, private=1500)
    return setting


def problem_of(setting: Setting, rng: np.random.Generator) -> Problem:
    """One repetition's data: fresh or permuted responses, and a random split."""
    return split_regression(
        data_of(setting, rng), rng, metric=setting.metric, public=setting.public, private=setting.private
    )


def data_of(setting: Setting, rng: np.random.Generator) -> RegressionData:
    """The user's data or simulated data, permuted where the setting says so."""
    data = setting.data or simulate_regression(
        rng, n=setting.items, features=setting.features, correlation=setting.correlation, signal=setting.signal
    )
    return data.permute(rng) if setting.permuted else data


def attack_all(setting: Setting, seed: np.random.SeedSequence) -> FloatArray:
    """One repetition: mechanisms × iterations × (public loss, private loss, luck of the split).

    All mechanisms meet the same data, so that they can be compared repetition by repetition.
    """
    rng = np.random.default_rng(seed)
    problem, board_seed = problem_of(setting, rng), int(rng.integers(2**62))
    runs = [
        step_forward_run(problem, mechanism, iterations=setting.iterations, seed=board_seed)
        for mechanism in setting.mechanisms
    ]
    return np.array([[(one.public, one.private, one.luck) for one in run] for run in runs])


@dataclass(frozen=True, eq=False)
class Campaign:
    """All repetitions of a setting: repetitions × mechanisms × iterations × (public, private, luck)."""

    losses: FloatArray
    submissions: tuple[int, ...]

    @property
    def delta(self) -> FloatArray:
        """Public minus private loss: repetitions × mechanisms × iterations."""
        return np.asarray(self.losses[..., 0] - self.losses[..., 1])

    @property
    def net(self) -> FloatArray:
        """`delta` without the luck of the split."""
        return np.asarray(self.delta - self.losses[..., 2])

    def final_net(self) -> FloatArray:
        """The median net overfit of each mechanism after the last iteration."""
        return np.asarray(np.median(self.net[:, :, -1], axis=0))


def run_campaign(conditions: Conditions, setting: Setting, *, repetitions: int, title: str) -> Campaign:
    """Attack again and again; the engine spreads the repetitions."""
    from ladderboard_lab.planning.step_forward_runs import count_submissions

    found = conditions.run(attack_all, [setting] * repetitions, title=title)
    counts = tuple(
        count_submissions(iterations=done, features=setting.features) for done in range(1, setting.iterations + 1)
    )
    return Campaign(np.array(found), counts)
