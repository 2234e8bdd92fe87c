"""Synthetic tables: marginals, mixtures and networks of columns that records are drawn from.

Imported by the method `synthetic` alone. Noise comes from vetted samplers.
"""
