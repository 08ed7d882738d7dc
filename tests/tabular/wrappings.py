"""One table in every way in which a file may hold it."""

import gzip
import io
import zipfile

import polars as pl


def zipped(data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("folder/table.csv", data)
    return packed.getvalue()


def parquet(table: pl.DataFrame) -> bytes:
    written = io.BytesIO()
    table.write_parquet(written)
    return written.getvalue()


def wrapped(table: pl.DataFrame, way: str) -> bytes:
    """The table as bytes, in one of `WAYS`."""
    if way == "parquet":
        return parquet(table)
    text = table.write_csv(
        separator={"semicolons": ";", "decimal commas": ";", "tabs": "\t", "pipes": "|"}.get(way, ","),
        decimal_comma=way == "decimal commas",
        quote_style="always" if way == "quotes" else "necessary",
        line_terminator={"CR LF": "\r\n", "CR": "\r"}.get(way, "\n"),
    ).encode()
    if way == "blank lines":
        return b"\n" + text.replace(b"\n", b"\n\n") + b"," * (table.width - 1) + b"\n\n"
    if way == "blanks":
        return text.replace(b",", b" , ")
    packed = {"byte-order mark": lambda data: b"\xef\xbb\xbf" + data, "gzip": gzip.compress, "zip": zipped}
    return packed[way](text) if way in packed else text


WAYS = (
    *("semicolons", "decimal commas", "tabs", "pipes", "byte-order mark", "CR LF", "CR", "quotes", "blanks"),
    *("blank lines", "gzip", "zip", "parquet"),
)
