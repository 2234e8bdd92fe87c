"""Known keys: the keys of services that this user has used, kept at first use.

A signature proves who signed only if the key is known. The first answer of a service about its keys is believed and
kept in a file of the user; from then on, only these keys count. A new key is accepted if a known one endorses it, which
is how a service replaces its key, or if the user states it. Everything else is refused, whatever the service answers.
"""

import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antifaz_client.terminal.output import say
from antifaz_client.transport.origins import full_address, origin_of

_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)


class ChangedKey(Exception):
    """A service presents another key than the known one; the message explains what to do."""


class UnreadableKeys(Exception):
    """The file of known keys is damaged: it is neither believed nor replaced."""


def known_keys_file() -> Path:
    """The file with the known keys: in ANTIFAZ_CONFIG_DIR, or in the user's folder for settings."""
    given = os.environ.get("ANTIFAZ_CONFIG_DIR")
    home = os.environ.get("XDG_CONFIG_HOME")
    folder = Path(given) if given else (Path(home) if home else Path.home() / ".config") / "antifaz"
    return folder / "known-keys.json"


def service_of(url: str | None) -> str:
    """The name under which the keys of a service are kept: its origin."""
    scheme, host, port = origin_of(full_address(url))
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def load_known_keys() -> dict[str, list[str]]:
    """The known keys of every service, newest first."""
    path = known_keys_file()
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        raise _unreadable(path) from None
    fits = isinstance(found, dict) and all(isinstance(keys, list) and _are_keys(keys) for keys in found.values())
    if not fits:
        raise _unreadable(path)
    return dict(found)


def _unreadable(path: Path) -> UnreadableKeys:
    return UnreadableKeys(f"{path} does not have the keys of services: restore it, or remove it to start again")


def _are_keys(keys: list[Any]) -> bool:
    return bool(keys) and all(isinstance(key, str) and _HEX.fullmatch(key) for key in keys)


def save_known_keys(known: Mapping[str, list[str]]) -> None:
    """Replace the file in one step, readable by its owner only."""
    path = known_keys_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(prefix=".known-keys.", dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(known, file, indent=2, sort_keys=True)
    Path(unfinished).replace(path)


def accept_keys(service: str, published: Mapping[str, Any], stated: str | None = None) -> list[str]:
    """The keys of a service that count, given those that it publishes now, and the one that the user states."""
    newest = _newest(published)
    if stated is not None and stated.lower() != newest:
        raise ChangedKey(f"{service} publishes the key {newest}, not the one that you accept")
    known = load_known_keys()
    held = known.get(service)
    if held is not None and held[0] == newest:
        return held
    if held is None:
        say(f"first use of {service}: its key is {newest}; compare it with the operator's. It is now known here")
        kept = [newest]
    elif stated is not None:
        # The reason for a key without an endorsement may be that the earlier ones were stolen.
        say(f"you accepted the key {newest} of {service}; the earlier ones no longer count")
        kept = [newest]
    elif _is_endorsed(newest, held, published):
        say(f"{service} has a new key, {newest}, endorsed by the known one. It is now known here")
        kept = [newest, *held]
    else:
        raise ChangedKey(
            f"THE KEY OF {service} HAS CHANGED from {held[0]} to {newest}, and no known key endorses the new one: "
            "someone may be impersonating the service. Ask its operator by other means. "
            f"If the new key is right: --accept-key {newest}"
        )
    save_known_keys({**known, service: kept})
    return kept


def _newest(published: Mapping[str, Any]) -> str:
    listed = published.get("keys")
    first = listed[0] if isinstance(listed, list) and listed else None
    key = first.get("public_key") if isinstance(first, dict) else None
    if not isinstance(key, str) or not _HEX.fullmatch(key):
        raise ChangedKey("the service does not publish a key that can be read")
    return key


def _is_endorsed(newest: str, held: list[str], published: Mapping[str, Any]) -> bool:
    # Imported here: only `antifaz verify` needs the verifier, which is not part of the client.
    from verifier.chain import is_signed_text

    listed = published.get("endorsements")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    return any(
        entry.get("by") == by
        and entry.get("public_key") == newest
        and is_signed_text(by, entry.get("signature"), f"antifaz key 1\n{by}\n{newest}\n")
        for entry in entries
        for by in held[:1]
    )
