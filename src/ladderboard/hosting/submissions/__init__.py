"""The way of a submission from upload to record; `referee` has it on one page."""
