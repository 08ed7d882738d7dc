"""The settings of a server, typed; each is an option of `serve` or LADDERBOARD_<NAME> in the environment.

LADDERBOARD_<NAME>_FILE names a file with the value instead: a secret then stands neither on a command line nor in the
environment that a container's engine shows.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from ladderboard.core.errors import ParameterError

SignUp = Literal["open", "code", "list"]
Keeping = Literal["auto", "folder", "database"]

PREFIX, FILE = "LADDERBOARD_", "_FILE"
_SITE = re.compile(r"https?://(\*\.)?[a-z0-9.-]+(:[0-9]+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Settings:
    """The settings of a server."""

    data: Path = Path("ladderboard-data")
    """The folder of the SQLite database and of submitted files."""
    database: str = ""
    """sqlite:///… or postgresql://…; empty: a SQLite file in ``data``."""
    keep_files: Keeping = "auto"
    """Where submitted files are kept; auto: in the folder with SQLite, in the database with PostgreSQL."""
    sign_up: SignUp = "open"
    password_sign_in: bool = True
    """Whether people can sign in with a password; no needs ``identity_providers``."""
    identity_providers: str = ""
    """The TOML file of identity providers (OpenID Connect), which needs ``base_url``; empty: none."""
    base_url: str = ""
    """The address people see, such as https://board.example.org; empty: taken from each request."""
    secure_cookies: bool = False
    """Cookies for https only; always so where ``base_url`` starts with https."""
    trusted_proxies: str = "127.0.0.1"
    """Addresses whose X-Forwarded-* headers are believed, separated by commas."""
    sign_in_tries_per_minute: int = 10
    sign_ups_per_hour: int = 60
    """From one address."""
    uploads_at_once: int = 2
    """Of one account."""
    uploads_per_minute: int = 120
    """Of one account, scored or not: what is refused by validation costs us time all the same."""
    upload_processor_seconds_per_minute: int = 20
    """Of one account: how long this server may compute for its uploads, scored or not."""
    slow_upload_seconds: int = 60
    """How long the body of a request may take, beside a second for every 50 kB of it."""
    scoring_jobs: int = 2
    """How many queued submissions one process scores at once."""
    job_lease_seconds: int = 30
    """After how long a queued submission is taken up again where the process that scored it has vanished."""
    scheduler: str = ""
    """The Dask scheduler whose workers score what is queued; empty: threads of the server."""
    scheduler_ca: str = ""
    """For tls://: the file of the authority that has signed the certificates of scheduler, servers and workers."""
    scheduler_cert: str = ""
    scheduler_key: str = ""
    team_files_mb: int = 2000
    """How much the files of a team that were queued may take together, with what its programs wrote."""
    max_connections: int = 1000
    """Of one process; beyond that, one that waits for its client makes room, of the address that has the most."""
    max_request_bytes: int = 101 << 20
    log_level: str = "info"
    embed_sites: str = "*"
    """Sites that may frame the board's embed page, separated by commas, such as https://lab.example.org; * for any."""
    webhooks_may_reach: str = ""
    """Private addresses or networks that webhooks may ask, separated by commas; empty: public addresses only."""
    metrics_token: str = ""
    """The bearer token with which a monitor may read /metrics; empty: an organiser's token is needed."""
    metrics_on_loopback: bool = False
    """Let whoever asks from this machine, and not through a proxy, read /metrics."""

    @property
    def database_url(self) -> str:
        return self.database or f"sqlite:///{(self.data / 'ladderboard.db').absolute()}"

    @property
    def files_folder(self) -> Path:
        return self.data / "files"

    @property
    def cookies_are_secure(self) -> bool:
        return self.secure_cookies or self.base_url.startswith("https://")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, **given: Any) -> "Settings":
        """Settings as given, else from the environment, else the defaults."""
        settings = cls()
        for one in fields(cls):
            text = _find_text(environment, PREFIX + one.name.upper())
            if text is not None:
                settings = replace(settings, **{one.name: _read(one.name, text, getattr(settings, one.name))})
        settings = replace(settings, **{name: value for name, value in given.items() if value is not None})
        for name, choices in (("sign_up", get_args(SignUp)), ("keep_files", get_args(Keeping))):
            if getattr(settings, name) not in choices:
                raise ParameterError(f"{name} is {getattr(settings, name)!r}; it must be one of {', '.join(choices)}")
        if not settings.password_sign_in and not settings.identity_providers:
            raise ParameterError("passwords are switched off and identity_providers is empty: nobody could sign in")
        _refuse_bad_sites(settings.embed_sites)
        return settings


def _find_text(environment: Mapping[str, str], variable: str) -> str | None:
    """The value of a variable, or of the file that its sibling names; None where there is neither."""
    text, path = environment.get(variable), environment.get(variable + FILE)
    if not path:
        return text
    if text:
        raise ParameterError(f"{variable} and {variable}{FILE} are both set; keep one of them")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        raise ParameterError(f"{variable}{FILE} is {path!r}, which cannot be read; name a text file") from None


def _refuse_bad_sites(sites: str) -> None:
    """Raise for what would not be one source of a Content-Security-Policy."""
    for site in filter(None, (one.strip() for one in sites.split(","))):
        if site != "*" and not _SITE.fullmatch(site):
            raise ParameterError(
                f"embed_sites has {site!r}; give addresses such as https://lab.example.org, separated by commas, or *"
            )


def _read(name: str, text: str, default: Any) -> Any:
    if isinstance(default, bool):
        words = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
        if text.lower() not in words:
            raise ParameterError(f"{PREFIX}{name.upper()} is {text!r}; write yes or no")
        return words[text.lower()]
    if isinstance(default, int):
        if not text.isdecimal():
            raise ParameterError(f"{PREFIX}{name.upper()} is {text!r}; a whole number is needed")
        return int(text)
    return type(default)(text)
