"""Corrected solutions: rescoring and judging every attempt again."""
