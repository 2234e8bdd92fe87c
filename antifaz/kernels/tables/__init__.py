"""Kernels of tables: classes, cuts, conditions and moves over codes.

Plain arrays in and out; every loop looks at its watch.
"""
