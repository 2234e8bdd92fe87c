"""Mutants: how much of the product could be wrong without a test noticing.

    python -m bench.mutants [--part NAME]… [--only FILE] [--sample SIZE --seed SEED] [--again]
    python -m bench.mutants --part mistakes [--only TEST]

A mutant is one small generated change. The tests of a part run once, to learn which lines each of them runs; then the
tests that run a mutant's lines run on the mutant, the most specific first, until one fails. A mistake is a wrong line
made by hand (mistakes.toml), and each test that is named for it must fail. Each run writes its section of
docs/mutants.md, and lists the survivors with their reasons.
"""
