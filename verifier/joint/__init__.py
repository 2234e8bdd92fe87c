"""Joint checks: what several releases of one dataset, or of its versions, show together.

Imported by `publication` and the workers. They see promises and sealed maps, never a value of the original.
"""
