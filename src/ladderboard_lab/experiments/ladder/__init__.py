"""Figures and tables of Blum & Hardt, the Ladder paper."""
