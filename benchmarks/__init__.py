"""Ratios against floors and peers, measured in one run: ``python -m benchmarks``."""
