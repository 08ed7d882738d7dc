"""Figures and tables of the Multiplicity paper."""
