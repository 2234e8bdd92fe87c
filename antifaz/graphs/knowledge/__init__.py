"""An attacker's knowledge of a graph, and what it finds.

Imported by attacks, risks, guarantees and the methods that defend against it.
"""
