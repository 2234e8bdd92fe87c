"""Memory: passwords and the first token, kept in a private file between starts."""

import hashlib
import json
import secrets
from pathlib import Path

from stack.servers.databases import Login
from stack.servers.folders import write_private


class Memory:
    """State that is kept between starts: the logins' passwords, and whether the token was shown."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._notes: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}

    def password(self, login: Login) -> str:
        """The login's password, created at the first start."""
        return self._keep(f"password:{login.name}", secrets.token_urlsafe(24))

    def pending_token(self, given: str | None) -> str | None:
        """The bootstrap token until it was shown, then None."""
        if "token_shown" in self._notes:
            return None
        return self._keep("token", given or secrets.token_urlsafe(32), replace=bool(given))

    def token_shown(self) -> None:
        """Forget the token: only its digest is kept, to recognize it if it is given again."""
        token = self._notes.pop("token", "")
        self._keep("token_shown", hashlib.sha256(token.encode()).hexdigest())

    def recognises(self, token: str) -> bool:
        """Whether this is the token of the first start."""
        return self._notes.get("token_shown") == hashlib.sha256(token.encode()).hexdigest()

    def _keep(self, name: str, value: str, *, replace: bool = False) -> str:
        if name not in self._notes or replace:
            self._notes[name] = value
            write_private(self._file, json.dumps(self._notes))
        return self._notes[name]
