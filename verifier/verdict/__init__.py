"""Verdicts and exact arithmetic: findings, the watch, texts and numbers compared as the release shows them.

Everything else in the verifier may import this. It reads no file and knows no guarantee.
"""
