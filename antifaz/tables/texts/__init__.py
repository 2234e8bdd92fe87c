"""Texts: the types of values and how their texts are read; which texts are one value, by folding and by notation.

The lowest room of tables. It knows neither columns nor roles. `value_types` is the table of types: a new type is one
row there.
"""
