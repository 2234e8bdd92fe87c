"""Reading: texts become numbers, dates and attributes of a declared type; declared domains; labels of ranges.

Imported by all rooms above. It guesses no type that the policy states. Types and their readers are in
`antifaz.tables.texts.value_types`; `dialect` and `spellings` only convert how cells are written.
"""
