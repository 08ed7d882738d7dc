"""Sizes of files in the units that people use."""

MEBIBYTE = 1 << 20


def format_size(count: int) -> str:
    """
    >>> format_size(100 * MEBIBYTE), format_size(1500), format_size(12)
    ('100 MiB', '1.46 KiB', '12 bytes')
    """
    for unit, name in ((MEBIBYTE, "MiB"), (1024, "KiB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count} bytes"
