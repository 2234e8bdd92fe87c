"""The generator of a worker: ChaCha20 under a key that the operating system drew, in every job."""

import os
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from numpy.typing import NDArray
from randomgen import ChaCha

from antifaz.graphs.methods.edge_local_dp import EdgeLocalNoise
from antifaz.tables.methods.mondrian import Mondrian
from publication.generator import cryptographic_generator
from tests.system.samples import friends, patients, table_policy
from tests.workers.conftest import Steward

WORDS = 4_000


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The random bytes that the operating system returns from now on."""
    seen: list[bytes] = []
    honest = os.urandom

    def urandom(size: int) -> bytes:
        seen.append(honest(size))
        return seen[-1]

    monkeypatch.setattr(os, "urandom", urandom)
    return seen


def stream_of(key: bytes) -> NDArray[np.uint64]:
    """The first words of ChaCha20 under a key, by another library."""
    encryptor = Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None).encryptor()
    return np.frombuffer(encryptor.update(bytes(8 * WORDS)), dtype="<u8")


def words_of(generator: np.random.Generator) -> NDArray[np.uint64]:
    return generator.integers(0, 2**64 - 1, size=WORDS, dtype=np.uint64, endpoint=True)


def assert_keyed_by_the_system(generator: np.random.Generator, drawn: list[bytes]) -> None:
    """The generator gives the very stream of one of the keys that were drawn; no other one of these words does."""
    keys = [drew for drew in drawn if len(drew) == 32]
    words = words_of(generator)
    assert [key for key in keys if np.array_equal(words, stream_of(key))]


def test_the_generator_is_chacha20_under_a_key_of_the_operating_system(drawn: list[bytes]) -> None:
    generator = cryptographic_generator()
    assert_keyed_by_the_system(generator, drawn)
    assert len(drawn) == 1


def test_a_generator_of_numpy_or_one_that_a_seed_was_mixed_for_is_noticed(drawn: list[bytes]) -> None:
    seed = int.from_bytes(os.urandom(32), "little")
    twins = (np.random.default_rng(seed), np.random.Generator(ChaCha(seed)), np.random.Generator(ChaCha(key=1)))
    for twin in (*twins, np.random.Generator(ChaCha(key=seed, rounds=8))):
        with pytest.raises(AssertionError):
            assert_keyed_by_the_system(twin, drawn)


def test_no_two_generators_have_the_same_key() -> None:
    assert not set(words_of(cryptographic_generator()).tolist()) & set(words_of(cryptographic_generator()).tolist())


GRAPH = {
    "kind": "graph",
    "guarantees": [{"model": "edge_local_dp", "epsilon": 3.0, "density": {"declared": 0.2}}],
    "method": {"name": "edge_local_dp"},
    "report": {"utility": [], "attacks": []},
}


@pytest.mark.parametrize("kind", ["table", "graph"])
def test_every_job_draws_from_such_a_generator_of_its_own(
    steward: Steward, monkeypatch: pytest.MonkeyPatch, drawn: list[bytes], kind: str
) -> None:
    """The generator that the method receives, examined before anything is drawn from it."""
    reached: list[np.random.Generator] = []
    method = Mondrian if kind == "table" else EdgeLocalNoise
    honest: Any = method.apply

    def watched(self: Any, data: Any, guarantees: Any, rng: np.random.Generator, watch: Any) -> Any:
        assert_keyed_by_the_system(rng, drawn)
        reached.append(rng)
        return honest(self, data, guarantees, rng, watch)

    monkeypatch.setattr(method, "apply", watched)
    for _ in range(2):
        if kind == "table":
            job = steward.run(steward.upload(patients(40)), table_policy(3, None))
        else:
            job = steward.run(steward.upload(friends(30, 60), "graph"), GRAPH)
        assert job.status == "released", job
    assert reached[0] is not reached[1]
