"""The keys that sign: published for everyone at one address, and endorsed by the keys that they replace."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from storage.crypto.heads import HeadSigner
from verifier.chain import is_signed_text


def test_the_key_of_bundles_and_heads_is_published_without_a_token(api):
    with api.client(None) as nobody, api.client("auditor") as auditor:
        answer = nobody.get("/.well-known/antifaz-keys.json")
        head = auditor.get("/v1/audit-events/verify").json()["signed_head"]
    assert answer.status_code == 200
    assert answer.json() == {"keys": [{"public_key": head["public_key"], "algorithm": "Ed25519"}], "endorsements": []}


def test_a_newer_key_is_endorsed_by_every_older_one():
    signer = HeadSigner([Ed25519PrivateKey.generate() for _ in range(3)])
    newest, *older = signer.public_keys
    found = signer.endorsements()
    assert [(each.public_key, each.by) for each in found] == [(newest, by) for by in older]
    for each in found:
        text = f"antifaz key 1\n{each.by}\n{each.public_key}\n"
        assert is_signed_text(each.by, each.signature, text)
        assert not is_signed_text(newest, each.signature, text)
        assert not is_signed_text(each.by, each.signature, text.replace("key 1", "bundle 1"))
