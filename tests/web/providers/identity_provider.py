"""An identity provider that a test runs: honest, or lying in one respect."""

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "board", "a secret of ours & theirs"


@dataclass
class IdentityProvider:
    """Whoever is sent here is signed in at once, as ``person``. ``lie`` changes what an ID token says."""

    person: dict[str, Any] = field(default_factory=lambda: {"sub": "s-1", "preferred_username": "ada"})
    lie: dict[str, Any] = field(default_factory=dict)
    """Claims that replace the true ones; None leaves one out."""
    signed: str = "RS256"
    """RS256; "none"; "HS256" with the public key as the secret; "foreign" by a key that nobody has published."""
    refuses: bool = False
    in_userinfo: bool = False
    """Tell the address only when asked once more."""
    url: str = ""
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": secrets.token_hex(4)}))
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)

    def metadata(self) -> dict[str, Any]:
        ends = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
        return {"issuer": self.url, "jwks_uri": f"{self.url}/keys"} | {
            f"{name}_endpoint": f"{self.url}/{path}" for name, path in ends.items()
        }

    def authorize(self, query: dict[str, str]) -> str:
        self.asked.append(query)
        answer = {"state": query["state"]}
        if self.refuses:
            answer |= {"error": "access_denied", "error_description": "<b>call 0900</b>"}
        else:
            answer["code"] = secrets.token_hex(8)
            self.codes[answer["code"]] = query
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def exchange(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """The tokens for a code: once, for the client that has the secret and the browser that began."""
        begun = self.codes.pop(form.get("code", ""), None)
        expected = "Basic " + base64.b64encode(f"{CLIENT}:{quote_plus(SECRET)}".encode()).decode()
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if begun is None or authorization != expected or begun["redirect_uri"] != form.get("redirect_uri"):
            return None
        if begun["code_challenge"] != challenge.rstrip(b"=").decode() or begun["code_challenge_method"] != "S256":
            return None
        person = {k: v for k, v in self.person.items() if not (self.in_userinfo and k.startswith("email"))}
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": begun["nonce"], **person}
        claims = {name: value for name, value in (claims | self.lie).items() if value is not None}
        return {"access_token": "access", "token_type": "Bearer", "expires_in": 300, "id_token": self.sign(claims)}

    def sign(self, claims: dict[str, Any]) -> str:
        if self.signed == "none":
            parts = ({"alg": "none", "typ": "JWT"}, claims)
            return ".".join(base64.urlsafe_b64encode(json.dumps(p).encode()).rstrip(b"=").decode() for p in parts) + "."
        if self.signed == "HS256":
            header, payload = (
                base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=")
                for part in ({"alg": "HS256", "kid": self.key.kid}, claims)
            )
            mac = hmac.digest(self.key.as_pem(private=False), header + b"." + payload, "sha256")
            return b".".join((header, payload, base64.urlsafe_b64encode(mac).rstrip(b"="))).decode()
        key = RSAKey.generate_key(2048, {"kid": str(self.key.kid)}) if self.signed == "foreign" else self.key
        return jwt.encode({"alg": "RS256", "kid": str(self.key.kid)}, claims, key)


@contextmanager
def running(provider: IdentityProvider) -> Iterator[IdentityProvider]:
    """The provider on a free port of loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            if parts.path == "/authorize":
                self.send_response(302)
                self.send_header("Location", provider.authorize(query))
                self.end_headers()
            elif parts.path == "/keys":
                self.answer({"keys": [provider.key.as_dict(private=False), {"kty": "unknown"}]})
            elif parts.path == "/userinfo":
                is_known = self.headers["Authorization"] == "Bearer access"
                self.answer(provider.person if is_known else {"sub": "nobody"})
            else:
                self.answer(provider.metadata())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            found = provider.exchange(form, self.headers.get("Authorization", ""))
            self.answer(found or {"error": "invalid_grant"}, 200 if found else 400)

        def answer(self, content: Any, status: int = 200) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.url = provider.url or f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
