"""Submissions: from upload to record; `referee.py` has it on one page."""
