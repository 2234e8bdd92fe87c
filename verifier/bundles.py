"""Check of a bundle: signature, digests, and the guarantees on the bytes, without the service.

A bundle (``GET /v1/releases/{id}/bundle.zip``) is an uncompressed archive: files, policy, dictionary, report, metadata,
and a manifest that lists each with its SHA-256. ``manifest.sig`` signs the manifest (Ed25519, over a short text).
Anyone who can change the whole bundle can also sign it with another key. So pass the public keys that you know
(``--key``): the service publishes them at ``/.well-known/antifaz-keys.json``. A bundle whose signer is not known does
not hold: its status is ``signer unknown``, even if everything else fits.

The bundle of a caller who may not read data, such as an auditor, lists the files of the release as withheld. Signature,
report and digests are checked; the guarantees are computed again only if the files are given too.

An archive is untrusted. It is read only if it has few members with plain names, none of them compressed, encrypted or
repeated, that together are no larger than the archive: nothing can expand to more than was sent.
"""

import hashlib
import re
import struct
import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from verifier.chain import is_signed_text
from verifier.check import verify
from verifier.mechanisms.settings import public_mechanism
from verifier.verdict.documents import object_in
from verifier.verdict.keys import SIGNER_UNKNOWN, unknown
from verifier.verdict.verdict import Artifact, Verdict

_MANIFEST, _SIGNATURE = "manifest.json", "manifest.sig"
_NAME = re.compile(r"([a-z]{1,20}/)?[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII)
_NAMING = ("format", "part", "sha256")
_MOST_MEMBERS = 1_000
_MOST_DIRECTORY = 1 << 20
_MOST_DOCUMENT = 64 << 20
_END = struct.Struct("<4sHHHHLLH")
_ENCRYPTED = 0x1
_BROKEN = (zipfile.BadZipFile, OSError, ValueError, EOFError, RuntimeError, NotImplementedError, struct.error, KeyError)


HOLDS, FAILS, CANNOT_TELL = "holds", "does not hold", "cannot tell"


class Refused(Exception):
    """The archive is not a trustworthy bundle; the message says why."""


@dataclass(frozen=True)
class BundleVerdict:
    """Result of the check."""

    status: str
    """``holds``, ``signer unknown``, ``cannot tell`` or ``does not hold``."""
    release_id: str | None
    public_key: str | None
    """The key that signed the manifest: compare it with the one that the service publishes."""
    reasons: list[str]
    """Why it does not hold."""
    cannot_tell: list[str] = field(default_factory=list)
    """What is missing for a proof: files, sealed maps, a known key."""
    checked: list[str] = field(default_factory=list)
    """What was checked and fits."""
    verdict: dict[str, Any] = field(default_factory=dict)
    """Verdict on the guarantees, computed from the bytes; empty if there are none."""

    @property
    def holds(self) -> bool:
        """Whether a known key signed it, nothing differs, and every guarantee holds."""
        return self.status == HOLDS


def verify_bundle(path: Path, keys: Collection[str] = (), given: Mapping[str, bytes] | None = None) -> BundleVerdict:
    """Check a bundle; ``keys`` are the only public keys to accept, ``given`` are files of the release by name."""
    try:
        members = _read(path)
        manifest = _document(members, _MANIFEST)
        signature = _document(members, _SIGNATURE)
        _check_shape(manifest, signature)
        _check_signature(members[_MANIFEST], signature, keys)
        _check_digests(members, manifest["files"])
    except Refused as reason:
        return BundleVerdict(FAILS, None, None, [str(reason)])
    return _judged(members, manifest, signature["public_key"], keys, given or {})


def claimed_key(path: Path) -> str | None:
    """The key that a bundle claims to be signed by, to look it up among known ones; nothing is verified."""
    try:
        found = _document(_read(path), _SIGNATURE).get("public_key")
    except Refused:
        return None
    return found.lower() if isinstance(found, str) else None


def _judged(
    members: Mapping[str, bytes],
    manifest: Mapping[str, Any],
    public_key: str,
    keys: Collection[str],
    given: Mapping[str, bytes],
) -> BundleVerdict:
    release_id = manifest["release_id"]
    try:
        policy, report = _document(members, "policy.json"), _document(members, "report.json")
    except Refused as reason:
        return BundleVerdict(FAILS, release_id, public_key, [str(reason)])
    files = [entry for entry in manifest["files"] if "format" in entry]
    held, foreign = _supplied(members, files, given)
    reasons = [*_contradictions(manifest, policy, report), *foreign]
    checked = ["the signature", "the digests of all files in the archive", "the report is about these files"]
    doubt, verdict, missing = unknown([public_key], keys), None, len(files) - len(held)
    unproven = [f"{missing} of {len(files)} file(s) of the release were not given"] if missing else []
    if held or not missing:
        verdict = verify(policy, held, _evidence(report), manifest["directed"])
        reasons += _unlike(verdict, report)
        unproven += verdict.cannot_tell
        if not verdict.holds and not verdict.cannot_tell:
            reasons.append("the files do not keep what the policy promises")
    if missing:
        unproven.append("guarantees were not computed again from all files: the report states them")
        reasons += _admitted(report)
    status = FAILS if reasons else CANNOT_TELL if unproven else SIGNER_UNKNOWN if doubt else HOLDS
    return BundleVerdict(
        status,
        release_id,
        public_key,
        reasons,
        [*unproven, *([doubt] if doubt else [])],
        [] if reasons else [*checked, *(["the digests of the given files"] if given else [])],
        {} if verdict is None else asdict(verdict),
    )


def _supplied(
    members: Mapping[str, bytes], files: Sequence[Mapping[str, Any]], given: Mapping[str, bytes]
) -> tuple[list[Artifact], list[str]]:
    """The files of the release that are in the archive or given, by their digests; and the given ones that are none."""
    digests = {hashlib.sha256(content).hexdigest(): content for content in given.values()}
    listed = {entry["sha256"] for entry in files}
    foreign = [
        f"{name} is not a file of this release"
        for name, content in given.items()
        if hashlib.sha256(content).hexdigest() not in listed
    ]
    held = []
    for entry in files:
        content = digests.get(entry["sha256"]) if entry.get("withheld") else members[entry["path"]]
        if content is not None:
            held.append(Artifact(entry["format"], entry["part"], content))
    return held, foreign


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
        return object_in(content)
    except ValueError as reason:
        raise Refused(f"{name} is {reason}") from None


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
    withheld = entry.get("withheld", False)
    fits = named and (withheld is False or (withheld is True and "format" in entry))
    return fits and all(isinstance(text, str) for text in texts + of_release) and type(entry.get("bytes")) is int


def _check_signature(manifest: bytes, signature: Mapping[str, Any], keys: Collection[str]) -> None:
    text = f"antifaz bundle 1\n{hashlib.sha256(manifest).hexdigest()}\n"
    if not is_signed_text(signature["public_key"], signature["signature"], text):
        raise Refused("the signature is not for this manifest")
    if keys and signature["public_key"].lower() not in keys:
        raise Refused("the manifest was signed by another key than the ones that you know")


def _check_digests(members: Mapping[str, bytes], files: Sequence[Mapping[str, Any]]) -> None:
    included = [entry for entry in files if not entry.get("withheld")]
    if len({entry["path"] for entry in files}) < len(files):
        raise Refused("the manifest lists a file twice")
    if sorted([*(entry["path"] for entry in included), _MANIFEST, _SIGNATURE]) != sorted(members):
        raise Refused("the archive does not contain exactly the files that its manifest lists")
    for entry in included:
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
    given = {tuple(entry[name] for name in _NAMING) for entry in manifest["files"] if "format" in entry}
    stated = report.get("artifacts")
    listed = stated if isinstance(stated, list) else []
    named = [tuple(str(entry.get(name)) for name in _NAMING) for entry in listed if isinstance(entry, dict)]
    return reasons + ([] if given == set(named) else ["the report lists other files"])


def _evidence(report: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        return public_mechanism({"mechanism": report["mechanism"]}) if report.get("mechanism") else None
    except ValueError:
        return None


def _admitted(report: Mapping[str, Any]) -> list[str]:
    """Guarantees that do not hold by the report itself, which is all there is without the files."""
    stated = report.get("guarantees")
    listed = stated if isinstance(stated, list) else []
    holds = all(isinstance(entry, dict) and entry.get("holds") is True for entry in listed)
    return [] if holds else ["the report states a guarantee that does not hold"]


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
