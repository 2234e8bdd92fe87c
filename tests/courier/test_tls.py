"""Receivers with TLS: only a certificate of a trusted authority for exactly this name is accepted."""

import asyncio
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from courier.calls import Caller, NoAnswer
from storage.outbound.addresses import Allowed, allowed_by
from tests.courier.authority import Authority
from tests.courier.conftest import Courier, delivery_of, register, send_test, settled
from tests.courier.names import Names
from tests.courier.receivers import Receiver, receiving
from tests.patience import wait_for
from tests.service.conftest import Api

NAME = "hooks.intern"
REFUSED = "the certificate was not accepted"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch, authority: Authority) -> Names:
    """The name leads to this machine, whose operator trusts the authority."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    made = Names(monkeypatch)
    made.addresses[NAME] = "127.0.0.1"
    return made


@contextmanager
def secured(context: ssl.SSLContext, host: str = NAME) -> Iterator[Receiver]:
    """A receiver behind a certificate, by its name."""
    with receiving(tls=context) as made:
        made.url = made.url.replace("127.0.0.1", host)
        yield made


def call(receiver: Receiver) -> int:
    caller = Caller(Allowed(allowed_by("127.0.0.0/8").networks, frozenset({NAME})))
    return asyncio.run(caller.call("POST", f"{receiver.url}/x", headers={}, content=b"{}")).status


@pytest.mark.usefixtures("names")
def test_a_certificate_for_the_name_is_accepted_and_the_name_is_said_before_it_is_shown(authority: Authority) -> None:
    said: list[str | None] = []
    context = authority.context(NAME)
    context.sni_callback = lambda _socket, name, _context: said.append(name)
    with secured(context) as receiver:
        assert call(receiver) == 204
        assert receiver.heard[0].headers["host"] == receiver.url.removeprefix("https://")
    assert said == [NAME]


@pytest.mark.usefixtures("names")
def test_a_certificate_for_the_address_itself_is_accepted(authority: Authority) -> None:
    with secured(authority.context("127.0.0.1"), "127.0.0.1") as receiver:
        assert call(receiver) == 204


def _of_another_authority(_: Authority, folder: Path) -> ssl.SSLContext:
    return Authority(folder, "nobody known").context(NAME)


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize(
    "make",
    [
        lambda authority, _: authority.context("other.intern"),
        # The connection goes to this address; the name that was called is what counts.
        lambda authority, _: authority.context("127.0.0.1"),
        lambda authority, _: authority.context(NAME, expired=True),
        _of_another_authority,
    ],
    ids=["for another name", "for the address alone", "expired", "of an unknown authority"],
)
def test_a_certificate_that_shows_nothing_is_refused_before_anything_is_sent(
    authority: Authority, tmp_path: Path, make: Callable[[Authority, Path], ssl.SSLContext]
) -> None:
    with secured(make(authority, tmp_path)) as receiver:
        with pytest.raises(NoAnswer, match=REFUSED):
            call(receiver)
        assert receiver.heard == []


@pytest.mark.usefixtures("names")
def test_a_server_without_tls_behind_https_hears_nothing_that_it_could_read() -> None:
    with receiving() as plain:
        plain.url = plain.url.replace("http://127.0.0.1", f"https://{NAME}")
        with pytest.raises(NoAnswer):
            call(plain)
        assert plain.heard == []


@pytest.mark.usefixtures("names")
def test_webhooks_are_delivered_over_tls_and_wait_while_the_certificate_is_wrong(
    api: Api, make_courier: Callable[..., Courier], authority: Authority
) -> None:
    """The courier is made while the authority is trusted, as one is that an operator starts so."""
    courier = make_courier()
    with (
        secured(authority.context("127.0.0.1"), "127.0.0.1") as good,
        secured(authority.context("127.0.0.1", expired=True), "127.0.0.1") as stale,
    ):
        accepted, refused = register(api, good.url), register(api, stale.url)
        delivery = send_test(api, refused)["id"]
        assert settled(api, accepted["id"], send_test(api, accepted)["id"])["state"] == "delivered"
        wait_for(lambda: delivery_of(api, refused["id"], delivery)["last_error"] is not None, "a refusal")
        seen = delivery_of(api, refused["id"], delivery)
        assert (seen["state"], seen["last_error"]) == ("pending", REFUSED)
        assert stale.heard == []
        with api.client("admin") as admin:
            admin.delete(f"/v1/webhooks/{refused['id']}")
    courier.stop()
