"""The insider: a competitor who holds some labels and spends them to pass a gate.

Padding, look, combo and reader share this. The known labels are predicted wrongly at first; every attempt repairs some
of them, so that the gate sees an improvement, whatever is done to the items whose labels are not known (the gamble).
"""

import numpy as np

from ladderboard_lab.attacks.base import needs_two_classes
from ladderboard_lab.participant import Array, Briefing, FloatArray, Participant

FIRST_REPAIRS = 16
"""With which the entry against a baseline is tried: a gate that holds half of them sees eight repairs and no damage."""
HALF = 0.5
"""Of the labels: what an insider holds unless an attack says otherwise."""
CHOSEN = 0.3
ROUNDING = 1e-9
"""Of the greatest vote: smaller ones are rounding errors."""
SPEED = 0.5
"""How fast the price follows accepts and rejections (a Robbins-Monro step on its logarithm)."""


class Insider:
    """The state of an insider's attack: repaired items, the last accepted gamble, and the price of a repair.

    ``proven`` is the submission last called improved, ``words`` how often that was heard.
    ``price`` is the number of known items repaired in an attempt. `attempt` adapts it to an aimed-at share of accepts,
    so that no attack needs to know a mechanism's threshold: it finds it, whatever it is.
    """

    def __init__(
        self, participant: Participant, budget: int, rng: np.random.Generator, *, first_repairs: int = FIRST_REPAIRS
    ) -> None:
        briefing = participant.briefing
        self.participant, self.left, self.rng = participant, budget, rng
        order = rng.permutation(len(briefing.known_items))
        self._items, self._labels = briefing.known_items[order], briefing.known_labels[order]
        self.unknown = np.setdiff1d(np.arange(briefing.items), self._items)
        self.incumbent = np.zeros(briefing.items, dtype=np.int8)
        self.price = briefing.items**0.5 / 4
        self.accepts = 0
        self.shown: float | None = None
        self.proven: Array | None = None
        self.words = 0
        self._wrong = np.arange(len(self._items))
        self._enter(first_repairs)

    @property
    def has_entered(self) -> bool:
        return self.accepts > 0

    @property
    def reserve(self) -> int:
        """How many known items are still predicted wrongly."""
        return len(self._wrong)

    @property
    def gamble(self) -> Array:
        """The incumbent's predictions of the items with unknown labels."""
        return self.incumbent[self.unknown]

    @property
    def shown_overfit(self) -> float:
        """True loss minus the board's, as the insider can tell it: half of the unknown are wrong, whatever one says."""
        assert self.shown is not None
        true_loss = (self.reserve + len(self.unknown) / 2) / len(self.incumbent)
        return true_loss - self.shown

    def attempt(self, gamble: Array, *, aim: float) -> bool:
        """Submit this gamble with repairs at the present price; then bring the price nearer to the aimed-at share."""
        accepted = self.submit(gamble, repairs=int(self.price + self.rng.random()))
        self.price *= np.exp(-SPEED * (1 - aim) if accepted else SPEED * aim)
        return accepted

    def submit(self, gamble: Array, *, repairs: int) -> bool:
        """One submission; on accept it is the incumbent, and its repairs are spent."""
        trial = self.incumbent.copy()
        trial[self.unknown] = gamble
        repaired = self._wrong[:repairs]
        trial[self._items[repaired]] = self._labels[repaired]
        if not self._send(trial):
            return False
        self._wrong = self._wrong[repairs:]
        return True

    def return_to_proven(self, gamble: Array) -> bool:
        """One submission with this gamble and the known items as in the entry last called improved."""
        assert self.proven is not None
        trial = self.proven.copy()
        trial[self.unknown] = gamble
        if not self._send(trial):
            return False
        self._wrong = np.flatnonzero(self.incumbent[self._items] != self._labels)
        return True

    def even_share(self, *, budget: int, reserve: int) -> float:
        """The share of accepts that uses up this reserve in this many attempts at the present price."""
        return float(np.clip(reserve / self.price / max(budget, 1), 1e-4, 0.5))

    def _enter(self, first_repairs: int) -> None:
        """The worst entry that is accepted. Where a baseline must be beaten: a constant and a few repairs."""
        everything_wrong = self.rng.integers(0, 2, len(self.incumbent), dtype=np.int8)
        everything_wrong[self._items] = 1 - self._labels
        repairs, constant = float(first_repairs), 0
        accepted = self._send(everything_wrong)
        while not accepted and self.left > 0 and repairs < len(self._items):
            self._wrong = np.flatnonzero(self._labels != constant)
            self.incumbent = np.full(len(self.incumbent), constant, dtype=np.int8)
            accepted = self.submit(self.gamble, repairs=int(repairs))
            # Either class may be the majority; both are tried before more is paid.
            repairs, constant = repairs * (1.4 if constant else 1.0), 1 - constant

    def _send(self, trial: Array) -> bool:
        release = self.participant.submit(trial)
        self.left -= 1
        if release.accepted:
            self.incumbent, self.shown = trial, release.value
            self.accepts += 1
        if release.improved:
            self.proven = trial
            self.words += 1
        return release.accepted


class Readings:
    """The readings of accepted gambles: each released number measures the labels along its gamble."""

    def __init__(self, insider: Insider, *, most: int = 400) -> None:
        self._insider, self._most = insider, most
        self._signs: list[FloatArray] = []
        self._overfits: list[float] = []
        self._shown: set[float] = set()

    def __len__(self) -> int:
        return len(self._overfits)

    def take(self) -> None:
        """Record the insider's accepted gamble and its overfit; the oldest beyond ``most`` is dropped."""
        insider = self._insider
        assert insider.shown is not None
        self._shown.add(insider.shown)
        self._signs = [*self._signs, 2.0 * insider.gamble - 1.0][-self._most :]
        self._overfits = [*self._overfits, insider.shown_overfit][-self._most :]

    def regression(self) -> FloatArray:
        """The posterior mean of the unknown labels (as ±1, on an arbitrary scale): Gaussian prior, rounding as noise.

        With an unknown constant, since the level of the readings says little (a benefit, the luck of being accepted).
        """
        signs = np.array(self._signs)
        covariance = signs @ signs.T / signs.shape[1] + self._noise() * np.eye(len(signs))
        weights = np.linalg.solve(covariance, np.stack([np.ones(len(signs)), self._overfits], axis=1))
        constant = weights[:, 1].sum() / weights[:, 0].sum()
        votes = np.asarray(signs.T @ (weights[:, 1] - constant * weights[:, 0]))
        # Nothing was read of an item that never changed. Its vote is zero, but computed as a rounding error, whose sign
        # is that of the machine.
        return np.where(abs(votes) > ROUNDING * abs(votes).max(), votes, 0.0)

    def consensus(self, *, trust: float) -> FloatArray:
        """As `regression`, for gambles that a gate chose: each is believed ``trust`` sd better than chance besides.

        Shrunk more (CHOSEN), since such gambles resemble each other in what the gate rewards, not in what is read.
        """
        signs, overfits = np.array(self._signs), np.array(self._overfits)
        targets = overfits - overfits.mean() + trust * (float(np.std(overfits)) or 1.0)
        covariance = signs @ signs.T / signs.shape[1] + CHOSEN * np.eye(len(targets))
        return np.asarray(signs.T @ np.linalg.solve(covariance, targets))

    def _noise(self) -> float:
        """Rounding errors relative to what is read, from the smallest step between the numbers seen so far.

        A reading is the sum of H signs over 2n, its variance H/(4n²); rounding to steps g adds g²/12.
        """
        steps = np.diff(sorted(self._shown))
        step = float(steps.min()) if len(steps) else 0.0
        items, unknown = len(self._insider.incumbent), len(self._insider.unknown)
        return max((step * items) ** 2 / (3 * unknown), 1e-4)


def needs_known_labels(briefing: Briefing) -> str | None:
    """Explain that an insider cannot attack the problem."""
    if len(briefing.known_items) < FIRST_REPAIRS or len(briefing.known_items) == briefing.items:
        return "needs a competitor who holds some labels and lacks others"
    return needs_two_classes(briefing)
