"""Content negotiation by the Accept header."""

import pytest

from service.http.negotiation import matches, preferred

OFFERED = ("application/json", "text/turtle", "text/csv")


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, "application/json"),
        ("", "application/json"),
        ("*/*", "application/json"),
        ("text/turtle", "text/turtle"),
        ("TEXT/Turtle; charset=utf-8", "text/turtle"),
        ("text/*", "text/turtle"),
        ("text/*;q=0.3, text/csv;q=0.7", "text/csv"),
        ("application/json;q=0, */*", "text/turtle"),
        ("text/html, application/xhtml+xml, */*;q=0.1", "application/json"),
        ("image/png", None),
        ("text/turtle;q=0", None),
        ("text/turtle;q=0.001", "text/turtle"),
        ("nonsense", "application/json"),
        (",".join(["image/png"] * 1000), None),
    ],
)
def test_the_best_of_what_there_is_is_chosen(accept, expected):
    assert preferred(accept, OFFERED) == expected


def test_an_answer_that_is_known_is_recognized_by_its_tag():
    assert matches('W/"a", "b"', '"b"')
    assert matches("*", '"b"')
    assert not matches('"a"', '"b"')
    assert not matches(None, '"b"')
