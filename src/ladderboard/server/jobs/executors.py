"""Where jobs run: threads of the server."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")


class DaemonThreads(Executor):
    """A thread for each call, none of which keeps a server from ending: its job is taken up again by another one."""

    def submit(self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> "Future[Result]":
        """Call the function in a thread of its own; whoever submits bounds how many there are."""
        future: Future[Result] = Future()
        thread = threading.Thread(target=_call, args=(future, fn, args, kwargs), name="ladderboard-job", daemon=True)
        thread.start()
        return future


def _call(future: "Future[Any]", function: Callable[..., Any], args: Any, kwargs: Any) -> None:
    future.set_running_or_notify_cancel()
    try:
        future.set_result(function(*args, **kwargs))
    except BaseException as problem:  # told to whoever waits for the result
        future.set_exception(problem)
