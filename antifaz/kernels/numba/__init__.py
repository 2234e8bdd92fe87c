"""How kernels are compiled, cached, linked and stopped, and the lists and spans that all of them use.

Imported by kernels alone.
"""
