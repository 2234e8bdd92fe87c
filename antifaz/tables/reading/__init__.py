"""Reading: texts become numbers, dates and attributes of a declared type; declared domains; labels of ranges.

Imported by all rooms above. It guesses no type that the policy states.
"""
