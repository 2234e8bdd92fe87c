"""Files in the manner of offices of twenty countries, each with its truth: which of its columns point at a person.

Everyone in them is invented, by a generator with a fixed seed, so the bytes are the same in every run. The files are
not written to suit the proposal: whoever changes the proposal must leave them as they are.
"""
