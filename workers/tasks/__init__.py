"""Tasks that end without a release: advice, comparisons, hierarchies, sealed columns and questions.

Imported by `process`. None of them stores an original value.
"""
