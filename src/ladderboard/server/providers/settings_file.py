"""The operator's file of identity providers: TOML, one table for each."""

import re
import tomllib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ladderboard.core.errors import ParameterError
from ladderboard.server.providers.records import Provider

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")
_DOMAIN = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_KEYS = ("title", "issuer", "client_id", "client_secret", "client_secret_file", "domains")
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def read_providers(path: str, *, base_url: str) -> dict[str, Provider]:
    """The providers by name; none without a path. Raises `ParameterError` that names the key to change."""
    if not path:
        return {}
    if not base_url:
        raise ParameterError("identity_providers needs base_url: providers send people back to the public address")
    if find_spec("joserfc") is None:
        raise ParameterError("identity_providers needs a library: pip install '.[oidc]' in Ladderboard's checkout")
    try:
        text = Path(path).read_text(encoding="utf-8")
        tables = tomllib.loads(text)
    except OSError as error:
        raise ParameterError(f"identity_providers is {path!r}, which cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise ParameterError(f"{path} is not valid TOML: {error}") from None
    return {name: _read(path, name, table) for name, table in tables.items()}


def is_safe_url(url: str) -> bool:
    """Whether what is sent there stays secret: https, or this machine.

    >>> [is_safe_url(url) for url in ("https://login.example.edu", "http://localhost:9", "http://login.example.edu")]
    [True, True, False]
    """
    parts = urlsplit(url)
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK))


def _read(path: str, name: str, table: Any) -> Provider:
    where = f"{path}, [{name}]"
    if not isinstance(table, dict) or not _NAME.fullmatch(name):
        raise ParameterError(f"{where}: a provider is a table named by small letters, digits and hyphens")
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise ParameterError(f"{where}: there is no key {unknown[0]!r}; the keys are {', '.join(_KEYS)}")
    issuer = _text(where, table, "issuer")
    if not is_safe_url(issuer):
        raise ParameterError(f"{where}: issuer is {issuer!r}; it must begin with https://")
    return Provider(
        name=name,
        title=_text(where, table, "title", name),
        issuer=issuer,
        client_id=_text(where, table, "client_id"),
        client_secret=_read_secret(where, table),
        domains=_read_domains(where, table),
    )


def _text(where: str, table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or not value.strip():
        raise ParameterError(f'{where}: {key} is missing; write {key} = "…"')
    return value.strip()


def _read_secret(where: str, table: Mapping[str, Any]) -> str:
    if "client_secret_file" not in table:
        return _text(where, table, "client_secret") if "client_secret" in table else ""
    if "client_secret" in table:
        raise ParameterError(f"{where}: client_secret and client_secret_file are both set; keep one of them")
    path = _text(where, table, "client_secret_file")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        raise ParameterError(f"{where}: client_secret_file is {path!r}, which cannot be read") from None


def _read_domains(where: str, table: Mapping[str, Any]) -> tuple[str, ...]:
    domains = table.get("domains", [])
    if not isinstance(domains, list) or not all(isinstance(one, str) and _DOMAIN.fullmatch(one) for one in domains):
        raise ParameterError(f'{where}: domains is {domains!r}; give a list such as ["example.edu"], in small letters')
    return tuple(domains)
