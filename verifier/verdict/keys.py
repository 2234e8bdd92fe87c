"""Known keys: whose signature counts as a proof.

A signature shows who signed only if the key is known from elsewhere: the service publishes its keys at
``/.well-known/antifaz-keys.json``. A forger can sign anything with a key of their own, so what is signed by an unknown
key is reported as such and not as proven.
"""

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from verifier.verdict.documents import read_object

SIGNER_UNKNOWN = "signer unknown"
"""The status of what is consistent, but signed by a key that was not given."""
_HEX = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)


def known_keys(given: Iterable[str]) -> frozenset[str]:
    """Public keys in hexadecimal, or from files saved from the address at which the service publishes them."""
    return frozenset(key.lower() for text in given for key in _keys_in(text))


def _keys_in(text: str) -> list[str]:
    if _HEX.fullmatch(text):
        return [text]
    path = Path(text)
    if not path.is_file():
        raise ValueError("not a key: give 64 hexadecimal digits, or a file with the keys of a service")
    listed = read_object(path).get("keys")
    entries = listed if isinstance(listed, list) else []
    found = [entry.get("public_key") for entry in entries if isinstance(entry, dict)]
    keys = [key for key in found if isinstance(key, str) and _HEX.fullmatch(key)]
    if not keys or len(keys) < len(entries):
        raise ValueError("not a file with the keys of a service")
    return keys


def unknown(signers: Iterable[str], known: Collection[str]) -> str:
    """Why signatures of these keys prove nothing; empty if all are known."""
    strangers = sorted({signer.lower() for signer in signers} - set(known))
    if not strangers:
        return ""
    return f"not a known key: {', '.join(strangers)}; compare it with the one that the service publishes"
