"""The share of a test set that should be public, from what the two parts can recognise."""

from dataclasses import dataclass

from ladderboard.core.records import Yardstick
from ladderboard.inference.power import GOOD_POWER, SENSIBLE_IMPROVEMENT, distance_to_best, smallest_visible_improvement
from ladderboard.mechanisms.base import EntryTest, Mechanism
from ladderboard.planning.submission_limits import resize

SHARES = tuple(percent / 100 for percent in range(5, 100, 5))
LARGEST_SHARE = 0.5
ALPHA = 0.05
RULE = (
    f"the smallest public part whose standard error is within the tolerance and whose entry test sees "
    f"{SENSIBLE_IMPROVEMENT:.0%} off the baseline's loss with {GOOD_POWER:.0%} power, and at most half of the items, "
    f"since the private part decides"
)


@dataclass(frozen=True)
class Split:
    """One public share and the smallest improvement over the baseline that each part sees with 80 % power.

    The public part by the mechanism's entry test at the first attempt, the private part by a one-sided paired test at
    5 % on all of its items; in score units. None: not even the best possible score would be seen.
    """

    share: float
    public_items: int
    private_items: int
    public_sees: float | None
    private_sees: float | None
    public_standard_error: float
    private_standard_error: float

    def sees(self, wanted: float | None) -> bool:
        """Whether the public part sees that improvement; one that no best score defines is not asked for."""
        return wanted is None or (self.public_sees is not None and self.public_sees <= wanted)


@dataclass(frozen=True)
class PublicPart:
    """The split that the rule recommends, the improvement it aims at, and all splits that were compared."""

    recommended: Split
    wanted: float | None
    is_enough: bool
    splits: tuple[Split, ...]

    def sentence(self) -> str:
        """The recommendation in words."""
        one = self.recommended
        words = f"If these items are also to decide in private, make {one.share:.0%} public ({one.public_items} items)"
        if self.is_enough:
            return f"{words}: {RULE}."
        return f"{words}: more would leave too few to decide, but this part misses gains that it should recognise."


def choose_public_part(yardstick: Yardstick, mechanism: Mechanism, tolerance: float) -> PublicPart:
    """Compare shares of 5 % to 95 % of the items and recommend one by `RULE`."""
    splits = tuple(_split(share, yardstick, mechanism) for share in SHARES)
    reach = distance_to_best(yardstick)
    wanted = None if reach is None else SENSIBLE_IMPROVEMENT * reach
    small = [split for split in splits if split.share <= LARGEST_SHARE]
    enough = [split for split in small if split.sees(wanted) and split.public_standard_error <= tolerance]
    return PublicPart((enough or small[-1:])[0], wanted, bool(enough), splits)


def _split(share: float, yardstick: Yardstick, mechanism: Mechanism) -> Split:
    items = yardstick.units
    public = min(max(2, round(share * items)), items - 2)
    shown, private = resize(yardstick, public), resize(yardstick, items - public)
    gate_share, alpha = mechanism.entry_test() or EntryTest(1.0, ALPHA)
    return Split(
        share=share,
        public_items=public,
        private_items=items - public,
        public_sees=smallest_visible_improvement(shown, gate_share=gate_share, alpha=alpha),
        private_sees=smallest_visible_improvement(private, alpha=ALPHA),
        public_standard_error=shown.null_standard_error,
        private_standard_error=private.null_standard_error,
    )
