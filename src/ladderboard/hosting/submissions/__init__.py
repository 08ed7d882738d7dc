"""The processing of a submission from upload to record; `referee` is the overview."""
