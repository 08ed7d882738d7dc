"""HTTP requests to one server, with its token, retries and errors as exceptions."""

from collections.abc import Callable
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ladderboard.client.error_mapping import make_error
from ladderboard.client.retries import Retries
from ladderboard.core.errors import AnswerError, HostingError, LadderboardError, ParameterError, UnreachableError

if TYPE_CHECKING:
    import httpx

PREFIX = "/api/v1"
PASSING = (429, 502, 503, 504)
"""Statuses that another try may change."""
BODY_SECONDS = 300.0
"""How long a part of an answer may take: a large file is scored before the first byte of it comes."""

MISSING_EXTRA = "talking to a server needs httpx: pip install '.[client]' in Ladderboard's checkout"


class Connection:
    """A pool of connections to the server at ``base_url``, or behind a Unix ``socket``. Safe for several threads."""

    def __init__(
        self, base_url: str, *, token: str | None, timeout: float, retries: Retries, socket: str | None = None
    ) -> None:
        library = _httpx()
        self.base_url = check_address(base_url)
        self._shown = self.base_url if socket is None else f"unix:{socket}"
        self.retries = retries
        headers = {"Accept": "application/json", "User-Agent": _user_agent()}
        self._http: httpx.Client = library.Client(
            base_url=self.base_url,
            headers=headers,
            timeout=library.Timeout(timeout, read=max(timeout, BODY_SECONDS)),
            # A redirect would send the token to an address that nobody typed.
            follow_redirects=False,
            # The system's certificates take a tenth of a second to load; plain HTTP has none to check.
            verify=urlsplit(self.base_url).scheme != "http",
            transport=None if socket is None else library.HTTPTransport(uds=socket),
        )
        self.token = token

    def get(self, path: str, **given: Any) -> "httpx.Response":
        return self.send("GET", path, is_repeatable=True, **given)

    def send(self, method: str, path: str, *, is_repeatable: bool = False, **given: Any) -> "httpx.Response":
        """Send a request and return its response; raise the server's error.

        ``is_repeatable``: sending it twice has the effect of sending it once, so that it may be sent again where no
        answer came. What is not repeatable is sent again only where it certainly never arrived.
        """
        return self.send_made(lambda: self._request(method, path, given), is_repeatable=is_repeatable)

    def send_made(
        self, make: Callable[[], "httpx.Request"], *, is_repeatable: bool, retries: Retries | None = None
    ) -> "httpx.Response":
        """Send a request that must be rebuilt for each try, such as a file upload."""
        retries, tries = retries or self.retries, 0
        while True:
            tries += 1
            try:
                return self._send_once(make())
            except (UnreachableError, HostingError) as problem:
                asked = getattr(problem, "retry_after", None)
                if not (_may_pass(problem, is_repeatable=is_repeatable) and retries.allows(tries, asked)):
                    raise
            retries.pause(tries, asked)

    def request(self, method: str, path: str, **given: Any) -> "httpx.Request":
        """Build a request with the token, without sending it."""
        return self._request(method, path, given)

    def close(self) -> None:
        self._http.close()

    def _send_once(self, request: "httpx.Request") -> "httpx.Response":
        library = _httpx()
        try:
            answer = self._http.send(request)
        except (library.ConnectError, library.ConnectTimeout, library.PoolTimeout) as error:
            raise NeverArrivedError(_unreachable(self._shown, error)) from None
        except library.TransportError as error:
            raise UnreachableError(_unreachable(self._shown, error)) from None
        if answer.is_success or answer.status_code == HTTPStatus.NOT_MODIFIED:
            return answer
        raise _read_refusal(answer, self._shown)

    def _request(self, method: str, path: str, given: dict[str, Any]) -> "httpx.Request":
        own = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        return self._http.build_request(method, path, **{**given, "headers": {**given.get("headers", {}), **own}})

    def __enter__(self) -> "Connection":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class NeverArrivedError(UnreachableError):
    """No connection was made, so the request never reached the server."""


def _may_pass(problem: LadderboardError, *, is_repeatable: bool) -> bool:
    if isinstance(problem, HostingError):
        return is_repeatable and problem.status in PASSING
    return is_repeatable or isinstance(problem, NeverArrivedError)


def read_json(answer: "httpx.Response") -> Any:
    """Read the JSON of a response; raises `AnswerError` if it is not JSON, such as a proxy's page."""
    try:
        return answer.json()
    except ValueError:
        raise AnswerError(
            f"{answer.url.copy_with(query=None)} answered with no JSON; is there a Ladderboard at this address?"
        ) from None


def check_address(base_url: str) -> str:
    """Check a server's address and strip its final slash; raises `ParameterError`.

    >>> check_address("https://board.example.org/")
    'https://board.example.org'
    """
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ParameterError(f"{base_url!r} is no address of a server; write it as https://board.example.org")
    return base_url.rstrip("/")


def _httpx() -> Any:
    try:
        import httpx
    except ModuleNotFoundError as error:
        if error.name != "httpx":
            raise
        raise ParameterError(MISSING_EXTRA) from None
    return httpx


def _read_refusal(answer: "httpx.Response", base_url: str) -> LadderboardError:
    if answer.is_redirect:
        return AnswerError(
            f"{base_url} sends us on to {answer.headers.get('location', 'another address')}; give that address instead"
        )
    try:
        body = answer.json()
    except ValueError:
        body = None
    return make_error(answer.status_code, body, answer.headers)


def _unreachable(base_url: str, error: Exception) -> str:
    why = str(error) or type(error).__name__
    return f"no answer from {base_url} ({why}); check the address and the network, then try again"


def _user_agent() -> str:
    from importlib.metadata import version

    return f"ladderboard/{version('ladderboard')}"
