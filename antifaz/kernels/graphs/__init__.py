"""Kernels of graphs: edits, searches, distances, groups and communities over sorted edge keys.

Plain arrays in and out; every loop looks at its watch.
"""
