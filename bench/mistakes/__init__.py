"""Mistakes: one wrong line of the product at a time, and the test that is named for it."""
