"""Parsing of docstrings."""

from antifaz import catalogue
from handbook.docstrings import markdown, source_of


def test_a_method_says_where_it_comes_from_and_what_it_promises():
    source = source_of(catalogue.part("methods", "table", "mondrian"))
    assert source.summary.startswith("Generalize quasi-identifiers by recursive cuts")
    assert source.reference.startswith("LeFevre, DeWitt and Ramakrishnan")
    assert list(source.statements) == ["Guarantees", "Cost"]
    assert source.statements["Guarantees"] == "every class-wise guarantee of the policy, on every class."
    assert len(source.idea) == 1


def test_what_markdown_would_take_for_markup_is_escaped_outside_of_code():
    assert markdown("13053, 1305*, a|b\nand `*` or ``c*d``") == r"13053, 1305\*, a\|b and `*` or `c*d`"
