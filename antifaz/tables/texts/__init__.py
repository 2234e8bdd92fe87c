"""Texts: which texts are one value, by folding and by notation.

The lowest room of tables. It knows neither columns nor roles.
"""
