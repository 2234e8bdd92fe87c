"""The provider's keys: how long they are used, and which providers are contacted."""

import asyncio

import pytest

from service.runtime.identity_errors import InvalidToken, ProviderDown
from service.runtime.identity_provider import Provider, UnsafeProvider
from storage.settings import Settings
from tests.service.oidc.issuer import AUDIENCE


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def provider(issuer, clock):
    settings = Settings(
        oidc_audience=AUDIENCE, oidc_keys_seconds=300, oidc_outage_seconds=3600, oidc_refetch_seconds=10
    )
    return Provider(settings, issuer.address, clock)


def test_keys_are_fetched_again_after_their_time_and_kept_for_an_outage_that_is_not_too_long(issuer):
    clock, kid = Clock(), issuer.keys[0].kid

    async def story():
        asked = provider(issuer, clock)
        await asked.key(kid)
        clock.now = 299
        issuer.asked.clear()
        await asked.key(kid)
        assert issuer.asked == []
        clock.now = 301
        await asked.key(kid)
        assert issuer.asked == ["/.well-known/openid-configuration", "/keys"]
        issuer.is_down = True
        clock.now = 301 + 3599
        await asked.key(kid)
        clock.now = 301 + 3601
        with pytest.raises(ProviderDown):
            await asked.key(kid)
        issuer.is_down = False
        clock.now += 11
        await asked.key(kid)

    asyncio.run(story())


def test_many_who_wait_for_an_unknown_key_cost_one_fetch(issuer):
    async def story():
        asked = provider(issuer, Clock())
        issuer.asked.clear()
        return await asyncio.gather(*(asked.key("unknown") for _ in range(20)), return_exceptions=True)

    answers = asyncio.run(story())
    assert all(isinstance(answer, InvalidToken) for answer in answers)
    assert issuer.asked == ["/.well-known/openid-configuration", "/keys"]


@pytest.mark.parametrize(
    ("issuer_address", "audience", "client"),
    [
        ("http://provider.example", AUDIENCE, None),
        ("http://10.0.0.7", AUDIENCE, None),
        ("https://provider.example", None, None),
        ("https://provider.example", "same", "same"),
    ],
)
def test_a_provider_that_cannot_be_asked_safely_stops_the_start(issuer_address, audience, client):
    with pytest.raises(UnsafeProvider):
        Provider(Settings(oidc_audience=audience, oidc_client_id=client), issuer_address)
