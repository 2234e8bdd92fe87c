"""Our own small OpenID provider over real HTTP: configuration, keys, and the exchange of codes."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey

AUDIENCE = "https://antifaz.example/api"
CLIENT = "console"
SECRET = "the-secret-of-the-console"


@dataclass
class Issuer:
    """The provider and all requests to it."""

    address: str
    keys: list[Any] = field(default_factory=lambda: [RSAKey.generate_key(2048, {"kid": "first"}, auto_kid=False)])
    asked: list[str] = field(default_factory=list)
    configuration: dict[str, Any] = field(default_factory=dict)
    is_down: bool = False
    redirects_to: str | None = None
    shared_secret: OctKey | None = None
    codes: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Codes that were given out, each with its challenge and the claims of its ID token."""

    def document(self) -> dict[str, Any]:
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/auth",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
        } | self.configuration

    def published_keys(self) -> dict[str, Any]:
        listed = [key.as_dict(private=False) | {"use": "sig"} for key in self.keys]
        return {"keys": listed + ([self.shared_secret.as_dict(private=True)] if self.shared_secret else [])}

    def claims(self, **changes: Any) -> dict[str, Any]:
        now = int(time.time())
        said = {
            "iss": self.address,
            "aud": AUDIENCE,
            "sub": "portal",
            "iat": now,
            "exp": now + 300,
            "roles": ["data-stewards"],
        }
        return {name: value for name, value in (said | changes).items() if value is not None}

    def access_token(self, key: Any = None, header: dict[str, Any] | None = None, **changes: Any) -> str:
        signer = key or self.keys[0]
        alg = {"RSA": "RS256", "EC": "ES256", "oct": "HS256"}[signer.key_type]
        head = {"alg": alg, "kid": signer.kid, "typ": "at+jwt"} | (header or {})
        head = {name: value for name, value in head.items() if value is not None}
        return jwt.encode(head, self.claims(**changes), signer, algorithms=[alg], default_type=None)

    def id_token(self, **changes: Any) -> str:
        return self.access_token(header={"typ": "JWT"}, **({"aud": CLIENT, "sub": "maria"} | changes))

    def give_code(self, asked: dict[str, str], **changes: Any) -> str:
        """A user signed in and agreed: returns a code for the console's request."""
        code = f"code-{len(self.codes)}"
        self.codes[code] = {"asked": asked, "claims": {"nonce": asked["nonce"]} | changes}
        return code

    def exchange(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        kept = self.codes.pop(form.get("code", ""), None)
        expected = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if kept is None or authorization != expected:
            return 400, {"error": "invalid_grant"}
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        same = challenge == kept["asked"]["code_challenge"] and form["redirect_uri"] == kept["asked"]["redirect_uri"]
        return (200, {"id_token": self.id_token(**kept["claims"])}) if same else (400, {"error": "invalid_grant"})


def new_rsa_key(kid: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": kid}, auto_kid=False)


def new_elliptic_key(kid: str) -> ECKey:
    return ECKey.generate_key("P-256", {"kid": kid}, auto_kid=False)


@contextmanager
def run_issuer() -> Iterator[Issuer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    issuer = Issuer(f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass = _handler(issuer)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()


def _handler(issuer: Issuer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *words: object) -> None:
            """Nobody reads a line for each request."""

        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            issuer.asked.append(path)
            if issuer.redirects_to is not None:
                self.send_response(302)
                self.send_header("Location", issuer.redirects_to)
                self.end_headers()
            elif issuer.is_down:
                self._answer(500, {"error": "down"})
            elif path == "/.well-known/openid-configuration":
                self._answer(200, issuer.document())
            else:
                self._answer(200, issuer.published_keys())

        def do_POST(self) -> None:
            issuer.asked.append(self.path)
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            if issuer.is_down:
                self._answer(500, {"error": "down"})
            else:
                self._answer(*issuer.exchange(form, self.headers.get("Authorization", "")))

        def _answer(self, status: int, document: dict[str, Any]) -> None:
            content = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler
