"""Strict JSON."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api_schemas.strict_json import BadJson, canonical_json, parse_json

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(PLAIN, st.booleans())
def test_reads_whatever_python_writes(value, ascii_only):
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only).encode(), 64) == value


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers(), max_size=6))
def test_equal_values_have_one_canonical_text(members):
    backwards = dict(reversed(members.items()))
    assert canonical_json(members) == canonical_json(backwards)


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"{", "syntax"),
        (b'{"a": 1,}', "syntax"),
        (b"[NaN]", "not_a_number"),
        (b"[-Infinity]", "not_a_number"),
        (b"[1e999]", "number_range"),
        (b"[" + b"9" * 5000 + b"]", "number_range"),
        (b'{"a": 1, "a": 2}', "duplicate_key"),
        (b'{"x": {"a": 1, "\\u0061": 2}}', "duplicate_key"),
        (b"[" * 100_000, "depth"),
        (b"[" * 33 + b"]" * 33, "depth"),
        (b'["\\u0000"]', "nul"),
        (b'{"\\u0000": 1}', "nul"),
        (b'["\\ud800"]', "surrogate"),
        (b'"\xff"', "encoding"),
        ("\ufeff{}".encode(), "encoding"),
        ('{"a": 1}'.encode("utf-16"), "encoding"),
    ],
)
def test_refuses_what_is_not_strict(content, rule):
    with pytest.raises(BadJson) as caught:
        parse_json(content, 32)
    assert caught.value.rule == rule


def test_accepts_as_deep_as_the_limit_and_an_escaped_backslash_before_u0000():
    assert parse_json(b"[" * 32 + b"]" * 32, 32)
    assert parse_json(rb'["\\u0000"]', 32) == [r"\u0000"]


@pytest.mark.parametrize("content", [b'{"canary": "canary', b'["canary", NaN]', b'{"canary": 1, "canary": 2}'])
def test_a_refusal_repeats_nothing(content):
    with pytest.raises(BadJson) as caught:
        parse_json(content, 32)
    assert "canary" not in str(caught.value)
    assert "canary" not in caught.value.detail


@pytest.mark.parametrize(
    ("content", "number"), [(b"5.0", 5), (b"-0.0", 0), (b"1e3", 1000), (b"5.5", 5.5), (b"1e300", 1e300)]
)
def test_a_number_without_a_fraction_is_an_integer_however_it_is_written(content, number):
    read = parse_json(content, 32)
    assert (read, type(read)) == (number, type(number))
