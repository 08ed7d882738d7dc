"""Files that are no tables, called what they are by their first bytes."""

import re

from ladderboard.tabular.problems import Problems

LONGEST_START = 512
"""So many bytes are enough to tell."""
OTHER_FILES = {
    b"BZh": "this is a bzip2 archive; use gzip, zip or no compression",
    b"\xfd7zXZ\x00": "this is an xz archive; use gzip, zip or no compression",
    b"7z\xbc\xaf": "this is a 7-Zip archive; use gzip, zip or no compression",
    b"Rar!": "this is a RAR archive; use gzip, zip or no compression",
    b"\x28\xb5\x2f\xfd": "this is a Zstandard archive; use gzip, zip or no compression",
    b"\xd0\xcf\x11\xe0": "this is an Excel workbook; save it as CSV (UTF-8) and send that",
    b"%PDF": "this is a PDF document; send a CSV or Parquet file",
    b"\x93NUMPY": "this is a NumPy array, which has no ids; send a CSV or Parquet file",
    b"\x80\x04\x95": "this is a Python pickle, which is never opened; send a CSV or Parquet file",
    b"\x80\x05\x95": "this is a Python pickle, which is never opened; send a CSV or Parquet file",
    b"\x89PNG": "this is a PNG picture; send a CSV or Parquet file",
    b"\xff\xd8\xff": "this is a JPEG picture; send a CSV or Parquet file",
    b"GIF8": "this is a GIF picture; send a CSV or Parquet file",
    b"\x89HDF": "this is an HDF5 file; send a CSV or Parquet file",
    b"SQLite f": "this is an SQLite database; send a CSV or Parquet file",
    b"ARROW1": "this is an Arrow file; send a CSV or Parquet file",
}
OTHER_TEXTS = {
    rb"(\xef\xbb\xbf)?\s*\[\s*[\[{\"]": "this is JSON; send a CSV or Parquet file (pandas: to_csv), or JSON Lines",
    rb"(?i)(\xef\xbb\xbf)?\s*<(!doctype|html)": "this is a web page (of a sign-in?); send a CSV or Parquet file",
    rb"(\xef\xbb\xbf)?\s*<\?xml": "this is XML; send a CSV or Parquet file",
    rb"(?s).{257}ustar(  )?\x00": "this is a tar archive; use gzip, zip or no compression",
    rb"version https://git-lfs": "this is a Git LFS pointer, not the file itself; fetch that with `git lfs pull`",
}
"""By the pattern of their start."""


def refuse_other_types(start: bytes, problems: Problems) -> None:
    """Stop where a file that starts so is of another type; raises `SubmissionError`."""
    for magic, sentence in OTHER_FILES.items():
        if start.startswith(magic):
            problems.stop("unsupported_file", sentence)
    for shape, sentence in OTHER_TEXTS.items():
        if re.match(shape, start):
            problems.stop("unsupported_file", sentence)
