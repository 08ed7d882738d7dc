"""The simulations behind `ladderboard plan`."""
