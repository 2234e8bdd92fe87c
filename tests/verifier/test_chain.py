"""An exported audit trail, checked with nothing but the file."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.__main__ import main
from verifier.chain import ChainVerdict, UnreadableTrail, verify_chain

KEY, OTHER = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
TENANT = "7f2c1e0a-0000-4000-8000-000000000001"
Line = dict[str, Any]


def public(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()


def signed(line: str, number: int, digest: str, key: Ed25519PrivateKey = KEY) -> Line:
    text = f"antifaz audit head 1\n{TENANT}\n{number}\n{digest}\n"
    signature = key.sign(text.encode()).hex()
    found = {"line": line, "tenant_id": TENANT, "number": number, "digest": digest}
    return found | {"public_key": public(key), "signature": signature}


def digest_of(event: Line) -> str:
    names = ("tenant_id", "number", "at", "actor", "action", "subject", "details", "previous")
    text = json.dumps([event[name] for name in names], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def trail(count: int = 6, anchored: tuple[int, ...] = (2, 4), key: Ed25519PrivateKey = KEY) -> list[Line]:
    events: list[Line] = []
    for number in range(1, count + 1):
        event: Line = {"line": "event", "tenant_id": TENANT, "number": number, "actor_name": "Zoë"}
        event |= {"at": f"2026-01-01T00:00:0{number % 10}.000000+00:00", "actor": "token:1", "action": "job.submit"}
        event |= {"subject": f"s{number}", "details": {"b": number, "a": ["é", 1.5, 10**30]}}
        event["previous"] = events[-1]["digest"] if events else "00" * 32
        event["digest"] = digest_of(event)
        events.append(event)
    anchors = [signed("anchor", number, events[number - 1]["digest"], key) for number in anchored]
    head = signed("head", count, events[-1]["digest"] if events else "00" * 32, key)
    return [*anchors, *events, head]


def check(lines: list[Line], **options: Any) -> ChainVerdict:
    """The verdict of someone who knows the key, unless other options are given."""
    known = options or {"keys": {public(KEY)}}
    return verify_chain([json.dumps(line, ensure_ascii=False) + "\n" for line in lines], **known)


UNKNOWN: dict[str, Any] = {"keys": ()}


def event(lines: list[Line], number: int) -> Line:
    return next(line for line in lines if line["line"] == "event" and line["number"] == number)


def test_a_whole_trail_is_intact() -> None:
    lines = trail()
    found = check(lines, keys={public(KEY)}, kept=signed("head", 3, event(lines, 3)["digest"]))
    assert found == ChainVerdict("intact", True, 6, None, lines[-1]["digest"], 2, [public(KEY)], [])


def test_an_empty_trail_is_intact() -> None:
    assert check(trail(0, ())) == ChainVerdict("intact", True, 0, None, "00" * 32, 0, [public(KEY)], [])


def test_a_digest_by_hand() -> None:
    line = trail(1, ())[0]
    text = (
        f'["{TENANT}",1,"2026-01-01T00:00:01.000000+00:00","token:1","job.submit","s1",'
        '{"a":["é",1.5,1000000000000000000000000000000],"b":1},"' + "00" * 32 + '"]'
    )
    assert hashlib.sha256(text.encode()).hexdigest() == line["digest"]


@pytest.mark.parametrize("name", ["at", "actor", "action", "subject", "details", "previous", "digest", "tenant_id"])
def test_a_changed_event_is_named(name: str) -> None:
    lines = trail()
    event(lines, 3)[name] = {"b": 3} if name == "details" else "11" * 32
    found = check(lines)
    assert (found.intact, found.broken_at) == (False, 3)


def test_the_name_beside_an_actor_is_no_part_of_the_digest() -> None:
    lines = trail()
    event(lines, 3)["actor_name"] = "another"
    assert check(lines).intact


def rechained(lines: list[Line]) -> list[Line]:
    """Events that fit each other again, as an attacker who can write to the database would make them."""
    previous = "00" * 32
    for number, line in enumerate((line for line in lines if line["line"] == "event"), start=1):
        line.update(number=number, previous=previous)
        line["digest"] = previous = digest_of(line)
    return lines


def without(lines: list[Line], number: int) -> list[Line]:
    return [line for line in lines if not (line["line"] == "event" and line["number"] == number)]


@pytest.mark.parametrize("number", range(1, 7))
def test_a_removed_event_is_noticed(number: int) -> None:
    assert check(without(trail(), number)).broken_at == number


@pytest.mark.parametrize(("number", "broken_at"), [(1, 2), (3, 4), (5, 6)])
def test_a_removed_event_is_noticed_though_the_rest_was_chained_again(number: int, broken_at: int) -> None:
    """By the next anchor, or by the head."""
    assert check(rechained(without(trail(), number))).broken_at == broken_at


@pytest.mark.parametrize(
    "change",
    [
        lambda anchor: anchor.update(digest="11" * 32),
        lambda anchor: anchor.update(number=3),
        lambda anchor: anchor.update(signature="11" * 64),
        lambda anchor: anchor.update(signature="no"),
        lambda anchor: anchor.update(public_key=None),
        lambda anchor: anchor.update(public_key=public(OTHER)),
        lambda anchor: anchor.update(signed("anchor", 2, "11" * 32)),
    ],
    ids=["digest", "number", "signature", "no signature", "no key", "another key", "another digest, signed"],
)
def test_a_changed_anchor_is_noticed(change: Callable[[Line], None]) -> None:
    lines = trail()
    change(lines[0])
    found = check(lines)
    assert not found.intact
    assert found.broken_at in (2, 3)


def test_a_trail_that_ends_before_its_anchor_is_noticed() -> None:
    lines = trail(6, (6,))
    cut = [*lines[:5], signed("head", 4, lines[4]["digest"])]
    assert check(cut).broken_at == 5


def test_a_file_that_was_cut_off_has_no_head() -> None:
    assert check(trail()[:-1]).broken_at == 7
    assert check(trail()[:-3]).broken_at == 5


def test_a_head_of_another_place_is_noticed() -> None:
    lines = trail()
    lines[-1] = signed("head", 5, event(lines, 5)["digest"])
    assert not check(lines).intact


def test_a_trail_signed_by_somebody_else_fits_neither_the_known_key_nor_a_kept_head() -> None:
    kept = trail()[-1]
    forged = trail(8, (4,), OTHER)
    event(forged, 2)["actor"] = "nobody"
    forged = rechained(forged)
    forged[0] = signed("anchor", 4, event(forged, 4)["digest"], OTHER)
    forged[-1] = signed("head", 8, event(forged, 8)["digest"], OTHER)
    found = check(forged, **UNKNOWN)
    assert (found.status, found.intact) == ("signer unknown", False), "a file that was rewritten whole fits itself"
    assert found.public_keys == [public(OTHER)]
    assert public(OTHER) in found.reasons[0]
    assert check(forged, keys={public(KEY)}).status == "broken"
    assert check(forged, kept=kept).broken_at == 6


def test_a_trail_that_is_continued_by_a_stranger_after_the_kept_head_is_not_called_intact() -> None:
    lines = trail(6, ())
    kept = signed("head", 3, event(lines, 3)["digest"])
    event(lines, 5)["actor"] = "nobody"
    forged = rechained(lines)
    assert check([*forged[:-1], signed("head", 6, forged[-2]["digest"])], kept=kept).intact
    found = check([*forged[:-1], signed("head", 6, forged[-2]["digest"], OTHER)], kept=kept)
    assert (found.status, found.intact) == ("signer unknown", False)


def test_a_rotated_key_is_accepted_once_both_are_known() -> None:
    lines = trail()
    lines[-1] = signed("head", 6, event(lines, 6)["digest"], OTHER)
    assert check(lines, keys={public(KEY)}).status == "broken"
    assert check(lines, keys={public(KEY), public(OTHER)}).intact
    assert check(lines, kept=lines[0]).status == "signer unknown"


@pytest.mark.parametrize(
    "text",
    ["", "1", "{", '{"line": "event"}', '{"line": "event", "line": "event"}', '{"line": "anchor", "number": "1"}'],
)
def test_what_is_no_trail_is_refused_by_its_line(text: str) -> None:
    with pytest.raises(UnreadableTrail, match="line 1"):
        verify_chain([text])


def test_nothing_follows_the_head() -> None:
    lines = trail()
    with pytest.raises(UnreadableTrail, match="after the head"):
        check([*lines, lines[-1]])


@given(
    place=st.integers(0, 8), name=st.sampled_from(["number", "digest", "tenant_id", "details", "actor", "signature"])
)
@settings(max_examples=60, deadline=None)
def test_no_field_that_counts_can_be_changed(place: int, name: str) -> None:
    lines = trail()
    if name not in lines[place]:
        return
    before = lines[place][name]
    lines[place][name] = before + 1 if name == "number" else {} if name == "details" else "22" * 32
    assert not check(lines).intact


def test_as_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, head = tmp_path / "events.jsonl", tmp_path / "head.json"
    lines = trail()
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    head.write_text(json.dumps(signed("head", 3, event(lines, 3)["digest"])), encoding="utf-8")
    assert main(["--chain", str(file), "--key", public(KEY).upper(), "--head", str(head)]) == 0
    assert json.loads(capsys.readouterr().out)["events"] == 6
    assert main(["--chain", str(file)]) == 4
    assert json.loads(capsys.readouterr().out)["status"] == "signer unknown"
    published = tmp_path / "keys.json"
    published.write_text(json.dumps({"keys": [{"public_key": public(OTHER)}, {"public_key": public(KEY)}]}))
    assert main(["--chain", str(file), "--key", str(published)]) == 0
    capsys.readouterr()
    file.write_text("".join(json.dumps(line) + "\n" for line in without(lines, 2)), encoding="utf-8")
    assert main(["--chain", str(file)]) == 1
    assert json.loads(capsys.readouterr().out)["broken_at"] == 2
    for missing in (["--chain", str(tmp_path / "none")], ["--chain", str(file), "--head", str(file)]):
        with pytest.raises(SystemExit) as stopped:
            main(missing)
        assert stopped.value.code == 2
