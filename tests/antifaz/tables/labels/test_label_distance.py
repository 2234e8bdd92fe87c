"""Label distance: what a label that may be a list says."""

import pytest

from antifaz.tables.labels.label_distance import read_list


@pytest.mark.parametrize(
    ("label", "members"),
    [('["x", "y"]', ["x", "y"]), ("[1, 2.50]", ["1", "2.50"]), ("[]", []), ("x", []), ("[x", []), ("[1] or [2]", [])],
)
def test_a_list_is_read_and_a_text_that_only_begins_like_one_has_no_members(label, members):
    assert read_list(label) == members
