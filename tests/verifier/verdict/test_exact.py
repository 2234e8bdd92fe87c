"""Numbers of a policy are taken as written, and figures never look better than they are."""

from fractions import Fraction

import pytest

from verifier.verdict.exact import exact, rounded_down, rounded_up


def test_a_decimal_is_not_its_nearest_binary_fraction() -> None:
    assert exact(0.1) == Fraction(1, 10)
    assert exact(3) == 3


@pytest.mark.parametrize("wrong", [None, True, "0.5", float("nan"), float("inf"), [1]])
def test_what_is_no_number_is_none(wrong: object) -> None:
    assert exact(wrong) is None


def test_rounding_goes_against_the_release() -> None:
    assert rounded_up(1 / 3) == 0.333334
    assert rounded_down(1 / 3) == 0.333333
    assert rounded_up(0.25 + 1e-12) == rounded_down(0.25 - 1e-12) == 0.25
