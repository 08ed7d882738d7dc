"""The laboratory: attacks, the arena and the reproduction of the papers."""
