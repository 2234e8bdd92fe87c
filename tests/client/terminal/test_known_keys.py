"""Known keys: kept at first use, replaced only by an endorsed or an accepted one, never by an answer alone."""

import hashlib
import io
import json
import stat
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from antifaz_client.commands.main import main
from antifaz_client.terminal.known_keys import (
    ChangedKey,
    UnreadableKeys,
    accept_keys,
    known_keys_file,
    load_known_keys,
    save_known_keys,
    service_of,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from storage.crypto.heads import HeadSigner

SERVICE = "https://antifaz.example:443"
OLD, NEW, OTHER = (Ed25519PrivateKey.generate() for _ in range(3))


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIFAZ_CONFIG_DIR", str(tmp_path / "config"))
    for name in ("ANTIFAZ_URL", "ANTIFAZ_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def published(*keys: Ed25519PrivateKey) -> dict[str, Any]:
    """What a service with these keys publishes, newest first."""
    signer = HeadSigner(keys)
    listed = [{"public_key": key, "algorithm": "Ed25519"} for key in signer.public_keys]
    return {"keys": listed, "endorsements": [vars(each) for each in signer.endorsements()]}


def text_of(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()


def test_the_first_key_is_kept_in_a_file_for_its_owner_alone(capsys):
    assert accept_keys(SERVICE, published(OLD)) == [text_of(OLD)]
    assert text_of(OLD) in capsys.readouterr().err
    assert load_known_keys() == {SERVICE: [text_of(OLD)]}
    assert stat.S_IMODE(known_keys_file().stat().st_mode) == 0o600
    assert accept_keys(SERVICE, published(OLD)) == [text_of(OLD)]
    assert capsys.readouterr().err == ""


def test_another_key_is_refused_loudly_and_nothing_is_replaced():
    accept_keys(SERVICE, published(OLD))
    with pytest.raises(ChangedKey, match="HAS CHANGED") as refusal:
        accept_keys(SERVICE, published(NEW))
    assert f"--accept-key {text_of(NEW)}" in str(refusal.value)
    assert load_known_keys() == {SERVICE: [text_of(OLD)]}


def test_a_key_that_the_known_one_endorses_is_accepted_and_the_old_one_still_counts():
    accept_keys(SERVICE, published(OLD))
    assert accept_keys(SERVICE, published(NEW, OLD)) == [text_of(NEW), text_of(OLD)]
    assert load_known_keys() == {SERVICE: [text_of(NEW), text_of(OLD)]}


def test_a_replaced_key_endorses_no_one_any_more():
    accept_keys(SERVICE, published(OLD))
    accept_keys(SERVICE, published(NEW, OLD))
    with pytest.raises(ChangedKey):
        accept_keys(SERVICE, published(OTHER, OLD))


@pytest.mark.parametrize("change", ["signature", "by", "public_key"])
def test_a_false_endorsement_counts_for_nothing(change):
    accept_keys(SERVICE, published(OLD))
    claimed = published(NEW, OLD)
    false = {"signature": "00" * 64, "by": text_of(OTHER), "public_key": text_of(OTHER)}
    claimed["endorsements"][0][change] = false[change]
    with pytest.raises(ChangedKey):
        accept_keys(SERVICE, claimed)
    claimed["endorsements"] = published(NEW, OTHER)["endorsements"]
    with pytest.raises(ChangedKey):
        accept_keys(SERVICE, claimed)


def test_a_key_that_the_user_accepts_replaces_all_earlier_ones():
    accept_keys(SERVICE, published(OLD))
    assert accept_keys(SERVICE, published(NEW), text_of(NEW)) == [text_of(NEW)]
    with pytest.raises(ChangedKey):
        accept_keys(SERVICE, published(OLD))
    with pytest.raises(ChangedKey, match="not the one that you accept"):
        accept_keys(SERVICE, published(OTHER), text_of(OLD))


def test_services_are_told_apart_by_their_origins():
    accept_keys(service_of("https://a.example"), published(OLD))
    accept_keys(service_of("https://a.example:8443"), published(NEW))
    assert service_of("https://A.example/v1") == "https://a.example:443"
    assert service_of("127.0.0.1:8000") == "http://127.0.0.1:8000"
    assert service_of("http://[::1]:8000") == "http://[::1]:8000"
    assert len(load_known_keys()) == 2


@pytest.mark.parametrize("answer", [{}, {"keys": []}, {"keys": [1]}, {"keys": [{"public_key": "x"}]}, {"keys": {}}])
def test_a_service_without_a_key_is_not_trusted(answer):
    with pytest.raises(ChangedKey):
        accept_keys(SERVICE, answer)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"a": []}', '{"a": ["x"]}', '{"a": "' + "0" * 64 + '"}', "[" * 9999]
)
def test_a_damaged_file_is_neither_believed_nor_replaced(content):
    save_known_keys({})
    known_keys_file().write_text(content)
    with pytest.raises(UnreadableKeys):
        accept_keys(SERVICE, published(OLD))
    assert known_keys_file().read_text() == content
    assert main(["verify", "x.zip"]) == 1


@contextmanager
def serving(answer: Callable[[str], bytes]) -> Iterator[str]:
    """The address of a server that answers every path by a function."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = answer(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)


@pytest.fixture
def impersonated() -> Iterator[tuple[str, list[str]]]:
    """A server that publishes a key, and the requests that it gets."""
    seen: list[str] = []

    def answer(path: str) -> bytes:
        seen.append(path)
        return json.dumps(published(OTHER)).encode()

    with serving(answer) as address:
        yield address, seen


@pytest.fixture
def answering() -> Iterator[tuple[str, dict[str, bytes]]]:
    """A server, and what it answers by path."""
    answers: dict[str, bytes] = {}
    with serving(lambda path: answers.get(path, b"{}")) as address:
        yield address, answers


def test_the_command_stops_at_a_changed_key(impersonated, capsys):
    address, seen = impersonated
    save_known_keys({service_of(address): [text_of(OLD)]})
    assert main(["verify", "some-release", "--url", address, "--token", "x"]) == 3
    assert "HAS CHANGED" in capsys.readouterr().err
    assert seen == ["/.well-known/antifaz-keys.json"]


def signed_by(key: Ed25519PrivateKey) -> bytes:
    """An archive that only states a key."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("manifest.sig", json.dumps({"public_key": text_of(key), "signature": "00" * 64}))
    return made.getvalue()


def test_a_bundle_that_only_states_a_known_key_is_no_proof(tmp_path, capfd):
    save_known_keys({SERVICE: [text_of(OLD)]})
    place = tmp_path / "bundle.zip"
    place.write_bytes(signed_by(OLD))
    assert main(["verify", str(place)]) == 3
    assert '"holds": false' in capfd.readouterr().out


def bundle_of(release_id: str, key: Ed25519PrivateKey) -> bytes:
    """A signed bundle without files."""
    documents = {"policy.json": b"{}", "report.json": json.dumps({"release_id": release_id, "policy": {}}).encode()}
    listed = [
        {"path": path, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        for path, content in documents.items()
    ]
    stated = {"bundle": 1, "release_id": release_id, "directed": False, "files": listed}
    manifest = json.dumps(stated).encode()
    public_key, signature = HeadSigner([key]).sign_bundle(hashlib.sha256(manifest).digest())
    signed = json.dumps({"public_key": public_key, "signature": signature}).encode()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path, content in {**documents, "manifest.json": manifest, "manifest.sig": signed}.items():
            archive.writestr(path, content)
    return made.getvalue()


ASKED, SENT = "01234567-89ab-4def-8123-456789abcdef", "11111111-89ab-4def-8123-456789abcdef"


@pytest.mark.parametrize("asked", [SENT, SENT.upper(), SENT.replace("-", "")])
@pytest.mark.parametrize("stated", [ASKED, SENT])
def test_a_bundle_of_another_release_is_noticed_whatever_id_the_answer_states(answering, capfd, asked, stated):
    address, answers = answering
    answers["/.well-known/antifaz-keys.json"] = json.dumps(published(OLD)).encode()
    for id_ in (asked, ASKED):
        answers[f"/v1/releases/{id_}"] = json.dumps({"id": stated}).encode()
        answers[f"/v1/releases/{stated}/bundle.zip"] = bundle_of(SENT, OLD)
        main(["verify", id_, "--url", address, "--token", ""])
        noticed = "bundle of another release" in capfd.readouterr().err
        assert noticed == (id_ == ASKED)


@pytest.mark.parametrize("words", [["absent.zip"], ["absent.zip", "--key", "no"], ["absent.zip", "absent.csv"]])
def test_what_cannot_be_read_is_an_error_and_not_a_verdict(words, capfd):
    assert main(["verify", *words]) == 1
    shown = capfd.readouterr()
    assert (shown.out, "Traceback" in shown.err) == ("", False)
