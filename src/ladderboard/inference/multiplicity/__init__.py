"""Multiplicity: how much of the best score of many systems is luck."""
