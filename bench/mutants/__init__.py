"""Mutants: how much of the verifier and of the publish step could be wrong without a test noticing.

    python -m bench.mutants [--part verifier|publish] [--only FILE] [--again]

Every mutant is one small change of one function. The tests run once to learn which lines each of them runs; then each
mutant gets a forked child of that process, in which the changed function replaces the original and the tests that run
its lines are repeated, the quickest first, until one fails. docs/mutants.md lists the survivors with their reasons.
"""
