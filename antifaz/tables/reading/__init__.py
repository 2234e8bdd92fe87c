"""Reading: texts become numbers, dates and attributes of a declared type; declared domains; labels of ranges.

Imported by all rooms above. It guesses no type that the policy states. `readings` has one reader for each type of
`antifaz.tables.table.ValueType`; `dialect` and `spellings` only convert how cells are written.
"""
