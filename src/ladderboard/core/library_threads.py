"""Threads of numeric libraries: one, in a process that many requests share.

BLAS and polars start a thread for each core and let idle ones spin for a while. Beside other requests that makes
nothing faster: the end of a competition of 10,000 teams takes a quarter more of the processor, and more on a busy one.
"""

import os

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
"""The variables that libraries look at when they are imported."""


def use_one_thread() -> None:
    """Let libraries that are imported from now on work in the thread that calls them; a set variable stays."""
    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")
