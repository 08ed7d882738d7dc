"""Computations that several metrics share."""
