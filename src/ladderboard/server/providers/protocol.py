"""OpenID Connect with one provider: the authorization code flow with PKCE, state and nonce.

What comes back is believed only with a signature by the provider's own keys, for us, for this attempt and for now
(https://openid.net/specs/openid-connect-core-1_0.html, section 3.1.3.7). Symmetric and empty signatures are refused.
"""

import base64
import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NoReturn
from urllib.parse import quote_plus, urlencode

import httpx

from ladderboard.core.errors import ForbiddenError, UnavailableError
from ladderboard.server.providers.records import Claims, Provider
from ladderboard.server.providers.settings_file import is_safe_url

SCOPE = "openid profile email"
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Asymmetric ones only: with a symmetric one, whoever knows a public key could sign."""
TIMEOUT_SECONDS = 10.0
KEPT_SECONDS = 3600.0
"""How long a provider's addresses are used without asking again."""
LEEWAY_SECONDS = 60
MOST_SUBJECT = 255
_ADDRESS = re.compile(r"[^@\s\x00-\x1f\x7f,;<>\"]{1,64}@[^@\s\x00-\x1f\x7f,;<>\"]{1,255}")


@dataclass(frozen=True)
class Attempt:
    """One attempt to sign in, which only the browser that began it can finish."""

    state: str
    nonce: str
    verifier: str
    next: str = "/"

    @property
    def challenge(self) -> str:
        """What the provider is told beforehand; whoever redeems the code must know the verifier (RFC 7636)."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    @classmethod
    def new(cls, onwards: str) -> "Attempt":
        return cls(secrets.token_urlsafe(32), secrets.token_urlsafe(32), secrets.token_urlsafe(48), onwards)


@dataclass(eq=False)
class OpenIDClient:
    """Talks with one provider. Its addresses and keys are kept for an hour; unknown keys are fetched again."""

    provider: Provider
    _guard: Lock = field(default_factory=Lock, repr=False)
    _kept: dict[str, tuple[float, dict[str, Any]]] = field(default_factory=dict, repr=False)

    def begin(self, attempt: Attempt, redirect_uri: str) -> str:
        """The address at the provider where a person signs in."""
        with self._connect() as client:
            endpoint: str = self._discover(client)["authorization_endpoint"]
        asked = {
            "response_type": "code",
            "client_id": self.provider.client_id,
            "redirect_uri": redirect_uri,
            "scope": SCOPE,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
        }
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}"

    def finish(self, attempt: Attempt, redirect_uri: str, *, code: str) -> Claims:
        """Exchange the code for what the provider vouches for.

        Raises `UnavailableError` where it does not answer, `ForbiddenError` where its answer proves nothing.
        """
        with self._connect() as client:
            metadata = self._discover(client)
            token = self._exchange(client, metadata, attempt, redirect_uri, code=code)
            claims = self._check(client, metadata, str(token.get("id_token") or ""), nonce=attempt.nonce)
            if "email" not in claims and isinstance(metadata.get("userinfo_endpoint"), str):
                more = self._ask_more(client, metadata["userinfo_endpoint"], str(token.get("access_token")))
                claims = (more if more.get("sub") == claims["sub"] else {}) | claims
        return Claims(
            issuer=self.provider.issuer, subject=claims["sub"], name=_find_name(claims), address=_find_address(claims)
        )

    def _connect(self) -> httpx.Client:
        return httpx.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False)

    def _discover(self, client: httpx.Client) -> Mapping[str, Any]:
        metadata = self._fetch(client, f"{self.provider.issuer.rstrip('/')}/.well-known/openid-configuration")
        if metadata.get("issuer") != self.provider.issuer:
            self._refuse(f"it calls itself {str(metadata.get('issuer'))[:200]!r}, and not {self.provider.issuer!r}")
        for key in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if not isinstance(metadata.get(key), str) or not is_safe_url(metadata[key]):
                self._refuse(f"it names no https address as its {key}")
        return metadata

    def _exchange(
        self, client: httpx.Client, metadata: Mapping[str, Any], attempt: Attempt, redirect_uri: str, *, code: str
    ) -> Mapping[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": attempt.verifier,
            "client_id": self.provider.client_id,
        }
        name, secret = self.provider.client_id, self.provider.client_secret
        methods = metadata.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        is_basic = bool(secret) and "client_secret_basic" in methods
        if secret and not is_basic:
            form["client_secret"] = secret
        # Both are encoded as in a form before they are joined (RFC 6749, section 2.3.1).
        auth = httpx.BasicAuth(quote_plus(name), quote_plus(secret)) if is_basic else None
        try:
            answer = client.post(metadata["token_endpoint"], data=form, auth=auth or httpx.USE_CLIENT_DEFAULT)
            token = answer.json()
        except (httpx.HTTPError, ValueError):
            self._miss()
        if answer.is_server_error:
            self._miss()
        if not answer.is_success or not isinstance(token, dict):
            self._refuse("it did not accept the code that came with you")
        return token

    def _check(self, client: httpx.Client, metadata: Mapping[str, Any], text: str, *, nonce: str) -> dict[str, Any]:
        """The claims of an ID token that is signed by the provider, for us, for this attempt and for now."""
        from joserfc import jwt
        from joserfc.errors import JoseError

        rules = jwt.JWTClaimsRegistry(
            leeway=LEEWAY_SECONDS,
            iss={"essential": True, "value": self.provider.issuer},
            sub={"essential": True},
            aud={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True},
        )
        try:
            token = self._decode(client, metadata["jwks_uri"], text)
            rules.validate(token.claims)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            self._refuse(f"its proof does not hold ({type(error).__name__})")
        claims = dict(token.claims)
        if not isinstance(claims["nonce"], str) or not hmac.compare_digest(claims["nonce"].encode(), nonce.encode()):
            self._refuse("its proof is for another attempt")
        audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        party = claims.get("azp", self.provider.client_id if len(audience) == 1 else None)
        if self.provider.client_id not in audience or party != self.provider.client_id:
            self._refuse("its proof is for another site")
        if not isinstance(claims["sub"], str) or not 0 < len(claims["sub"]) <= MOST_SUBJECT or "\0" in claims["sub"]:
            self._refuse("it does not say who you are")
        return claims

    def _decode(self, client: httpx.Client, jwks_uri: str, text: str) -> Any:
        from joserfc import jwt
        from joserfc.errors import JoseError

        try:
            return jwt.decode(text, _read_keys(self._fetch(client, jwks_uri)), algorithms=list(ALGORITHMS))
        except (JoseError, ValueError):
            # It may have new keys since: asked once more, and then believed or not.
            return jwt.decode(text, _read_keys(self._fetch(client, jwks_uri, anew=True)), algorithms=list(ALGORITHMS))

    def _ask_more(self, client: httpx.Client, url: str, access_token: str) -> dict[str, Any]:
        """More about the same person, where the provider tells it apart; nothing where it does not answer."""
        if not is_safe_url(url):
            return {}
        try:
            answer = client.get(url, headers={"Authorization": f"Bearer {access_token}"})
            found = answer.json() if answer.is_success else {}
        except (httpx.HTTPError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _fetch(self, client: httpx.Client, url: str, *, anew: bool = False) -> dict[str, Any]:
        with self._guard:
            kept = self._kept.get(url)
        if kept is not None and not anew and time.monotonic() - kept[0] < KEPT_SECONDS:
            return kept[1]
        try:
            answer = client.get(url)
            found = answer.raise_for_status().json()
        except (httpx.HTTPError, ValueError):
            self._miss()
        if not isinstance(found, dict):
            self._miss()
        with self._guard:
            self._kept[url] = (time.monotonic(), found)
        return found

    def _miss(self) -> NoReturn:
        raise UnavailableError(f"{self.provider.title} does not answer right now; try again later")

    def _refuse(self, why: str) -> NoReturn:
        raise ForbiddenError(f"{self.provider.title} did not prove who you are: {why}. You are not signed in")


def _read_keys(found: Mapping[str, Any]) -> Any:
    """The keys that we can read; providers list others too."""
    from joserfc.errors import JoseError
    from joserfc.jwk import JWKRegistry, KeySet

    keys = []
    listed = found.get("keys")
    for one in listed if isinstance(listed, list) else []:
        try:
            if one.get("kty") != "oct" and one.get("use", "sig") == "sig":
                keys.append(JWKRegistry.import_key(one))
        except (JoseError, ValueError, TypeError, AttributeError, KeyError):
            continue
    return KeySet(keys)


def _find_name(claims: Mapping[str, Any]) -> str:
    """A name to suggest; nothing is believed of it."""
    found = (claims.get(key) for key in ("preferred_username", "nickname", "name"))
    return next((one.strip()[:40] for one in found if isinstance(one, str) and one.strip()), "").partition("@")[0]


def _find_address(claims: Mapping[str, Any]) -> str | None:
    """The address, where the provider says that it is verified; a few write that as text."""
    address, is_verified = claims.get("email"), claims.get("email_verified")
    if is_verified not in (True, "true") or not isinstance(address, str) or not _ADDRESS.fullmatch(address):
        return None
    local, _, domain = address.rpartition("@")
    return f"{local}@{domain.lower()}"
