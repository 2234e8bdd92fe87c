"""The strategies by which temporal_k_degree chooses and reaches degrees, one module for each.

Imported by that method alone.
"""
