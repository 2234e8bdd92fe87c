"""Settings: from the environment, secrets hidden."""

import pytest
from pydantic import ValidationError

from storage.settings import Settings


def test_reads_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTIFAZ_PORT", "9000")
    monkeypatch.setenv("ANTIFAZ_RERING_SECONDS", "1.5")
    chosen = Settings()
    assert (chosen.port, chosen.rering_seconds) == (9000, 1.5)


def test_hides_addresses_and_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTIFAZ_DATABASE_URL", "postgresql+psycopg://user:s3cret@localhost/antifaz")
    monkeypatch.setenv("ANTIFAZ_BOOTSTRAP_TOKEN", "t0psecret" * 5)
    shown = repr(Settings())
    assert "s3cret" not in shown
    assert "t0psecret" not in shown


def test_refuses_a_short_bootstrap_token_without_repeating_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTIFAZ_BOOTSTRAP_TOKEN", "short-token")
    with pytest.raises(ValidationError) as caught:
        Settings()
    assert "short-token" not in str(caught.value)
