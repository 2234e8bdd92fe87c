"""Check of a bundle: signature, digests, and the guarantees on the bytes, without the service.

A bundle (``GET /v1/releases/{id}/bundle.zip``) is an uncompressed archive: files, policy, dictionary, report, metadata,
and a manifest that lists each with its SHA-256. ``manifest.sig`` signs the manifest (Ed25519, over a short text).
Anyone who can change the whole bundle can also sign it with another key. So pass the public key that you know
(``--key``); the service gives it to auditors with its signed audit heads.

An archive is untrusted. It is read only if it has few members with plain names, none of them compressed, encrypted or
repeated, that together are no larger than the archive: nothing can expand to more than was sent.
"""

import hashlib
import json
import re
import struct
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from verifier.chain import is_signed_text
from verifier.check import verify
from verifier.mechanisms import public_mechanism
from verifier.verdict import Artifact, Verdict

_MANIFEST, _SIGNATURE = "manifest.json", "manifest.sig"
_NAME = re.compile(r"([a-z]{1,20}/)?[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII)
_MOST_MEMBERS = 1_000
_MOST_DIRECTORY = 1 << 20
_MOST_DOCUMENT = 64 << 20
_END = struct.Struct("<4sHHHHLLH")
_ENCRYPTED = 0x1
_BROKEN = (zipfile.BadZipFile, OSError, ValueError, EOFError, RuntimeError, NotImplementedError, struct.error, KeyError)


class Refused(Exception):
    """The archive is not a trustworthy bundle; the message says why."""


@dataclass(frozen=True)
class BundleVerdict:
    """Result of the check."""

    holds: bool
    release_id: str | None
    public_key: str | None
    """The key that signed the manifest: compare it with the one that you know."""
    reasons: list[str]
    """Why it does not hold."""
    cannot_tell: list[str] = field(default_factory=list)
    """Missing inputs, if they are the only reason why the verdict does not hold."""
    verdict: dict[str, Any] = field(default_factory=dict)
    """Verdict on the guarantees, computed from the bytes."""


def verify_bundle(path: Path, key: str | None = None) -> BundleVerdict:
    """Check a bundle; ``key`` is the only public key to accept."""
    try:
        members = _read(path)
        manifest = _document(members, _MANIFEST)
        signature = _document(members, _SIGNATURE)
        _check_shape(manifest, signature)
        _check_signature(members[_MANIFEST], signature, key)
        _check_digests(members, manifest["files"])
    except Refused as reason:
        return BundleVerdict(False, None, None, [str(reason)])
    return _judged(members, manifest, signature["public_key"])


def _judged(members: Mapping[str, bytes], manifest: Mapping[str, Any], public_key: str) -> BundleVerdict:
    try:
        policy, report = _document(members, "policy.json"), _document(members, "report.json")
        reasons = _contradictions(manifest, policy, report)
    except Refused as reason:
        return BundleVerdict(False, manifest["release_id"], public_key, [str(reason)])
    artifacts = [
        Artifact(entry["format"], entry["part"], members[entry["path"]])
        for entry in manifest["files"]
        if "format" in entry
    ]
    verdict = verify(policy, artifacts, _evidence(report), manifest["directed"])
    unproven = list(verdict.cannot_tell)
    reasons += _unlike(verdict, report)
    holds = verdict.holds and not reasons
    if not verdict.holds and not unproven:
        reasons.append("the files do not keep what the policy promises")
    return BundleVerdict(holds, manifest["release_id"], public_key, reasons, unproven, asdict(verdict))


# --- the archive ----------------------------------------------------------------------------------------------------


def _read(path: Path) -> dict[str, bytes]:
    """Read every member, if the archive is harmless."""
    try:
        size = path.stat().st_size
        _check_end(path, size)
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
            _check_members(infos, size)
            return {info.filename: archive.read(info) for info in infos}
    except _BROKEN:
        raise Refused("it is not a readable archive") from None


def _check_end(path: Path, size: int) -> None:
    """Check the end of the archive before its directory is read."""
    if size < _END.size:
        raise Refused("it is not a readable archive")
    with path.open("rb") as file:
        file.seek(size - _END.size)
        mark, _, _, _, count, directory, _, comment = _END.unpack(file.read(_END.size))
    if mark != b"PK\x05\x06" or comment:
        raise Refused("it does not end like a bundle")
    if count > _MOST_MEMBERS or directory > _MOST_DIRECTORY:
        raise Refused(f"it has more than {_MOST_MEMBERS} members")


def _check_members(infos: Sequence[zipfile.ZipInfo], size: int) -> None:
    names = [info.filename for info in infos]
    if len(names) > _MOST_MEMBERS or len(set(names)) < len(names):
        raise Refused("a member is repeated, or there are too many")
    if not all(_NAME.fullmatch(name) for name in names):
        raise Refused("a member has a name that no bundle has")
    if any(info.compress_type != zipfile.ZIP_STORED or info.flag_bits & _ENCRYPTED for info in infos):
        raise Refused("a member is compressed or encrypted: take the bundle as the service sent it")
    if any(info.compress_size != info.file_size for info in infos) or sum(info.file_size for info in infos) > size:
        raise Refused("the members claim to be larger than the archive")


def _document(members: Mapping[str, bytes], name: str) -> dict[str, Any]:
    content = members.get(name)
    if content is None:
        raise Refused(f"{name} is missing")
    if len(content) > _MOST_DOCUMENT:
        raise Refused(f"{name} is too large")
    try:
        found = json.loads(content.decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise Refused(f"{name} is not JSON with each key once") from None
    if not isinstance(found, dict):
        raise Refused(f"{name} is not a JSON object")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError
    return dict(pairs)


# --- the manifest ---------------------------------------------------------------------------------------------------


def _check_shape(manifest: Mapping[str, Any], signature: Mapping[str, Any]) -> None:
    files = manifest.get("files")
    fits = (
        manifest.get("bundle") == 1
        and isinstance(manifest.get("release_id"), str)
        and isinstance(manifest.get("directed"), bool)
        and isinstance(files, list)
        and all(isinstance(entry, dict) and _is_entry(entry) for entry in files)
        and all(isinstance(signature.get(name), str) for name in ("public_key", "signature"))
    )
    if not fits:
        raise Refused("the manifest or its signature is not of this version of bundles")


def _is_entry(entry: Mapping[str, Any]) -> bool:
    texts = [entry.get("path"), entry.get("sha256")]
    named = ("format" in entry) == ("part" in entry)
    of_release = [entry[name] for name in ("format", "part") if name in entry]
    return named and all(isinstance(text, str) for text in texts + of_release) and type(entry.get("bytes")) is int


def _check_signature(manifest: bytes, signature: Mapping[str, Any], key: str | None) -> None:
    text = f"antifaz bundle 1\n{hashlib.sha256(manifest).hexdigest()}\n"
    if not is_signed_text(signature["public_key"], signature["signature"], text):
        raise Refused("the signature is not for this manifest")
    if key is not None and signature["public_key"].lower() != key:
        raise Refused("the manifest was signed by another key than the one that you know")


def _check_digests(members: Mapping[str, bytes], files: Sequence[Mapping[str, Any]]) -> None:
    listed = [entry["path"] for entry in files]
    if sorted([*listed, _MANIFEST, _SIGNATURE]) != sorted(members):
        raise Refused("the archive does not contain exactly the files that its manifest lists")
    for entry in files:
        content = members[entry["path"]]
        if len(content) != entry["bytes"] or hashlib.sha256(content).hexdigest() != entry["sha256"]:
            raise Refused(f"{entry['path']} is not what was signed")


# --- the report -----------------------------------------------------------------------------------------------------


def _contradictions(manifest: Mapping[str, Any], policy: Mapping[str, Any], report: Mapping[str, Any]) -> list[str]:
    reasons = []
    if report.get("release_id") != manifest["release_id"]:
        reasons.append("the report belongs to another release")
    if report.get("policy") != policy:
        reasons.append("the report was made under another policy")
    given = {(entry["format"], entry["part"], entry["sha256"]) for entry in manifest["files"] if "format" in entry}
    stated = report.get("artifacts")
    listed = stated if isinstance(stated, list) else []
    shown = {
        tuple(entry.get(name) for name in ("format", "part", "sha256")) for entry in listed if isinstance(entry, dict)
    }
    return reasons + ([] if given == shown else ["the report lists other files"])


def _evidence(report: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        return public_mechanism({"mechanism": report["mechanism"]}) if report.get("mechanism") else None
    except ValueError:
        return None


def _unlike(verdict: Verdict, report: Mapping[str, Any]) -> list[str]:
    """Guarantees for which the report states another figure than the bytes show."""
    stated = report.get("guarantees")
    listed = [entry for entry in stated if isinstance(entry, dict)] if isinstance(stated, list) else []
    return [
        f"the report states another figure for {finding.model} than the files show"
        for finding in verdict.findings
        if finding.holds
        and not any(
            entry.get("model") == finding.model
            and entry.get("required") == finding.required
            and entry.get("achieved") == finding.achieved
            and entry.get("holds") is True
            for entry in listed
        )
    ]
