"""Attacks: ways to climb a board without learning anything. `ATTACKS` names every one of them."""

from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.attacks.boosting import Boosting

ATTACKS: dict[str, type[Attack]] = {attack.name: attack for attack in (Boosting,)}
