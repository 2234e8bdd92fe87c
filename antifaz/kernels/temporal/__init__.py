"""Kernels of temporal graphs: groups of degree sequences.

Plain arrays in and out; every loop looks at its watch.
"""
