"""Classes of equal records, and the rules that guarantees impose on them.

Imported by methods, guarantees and the rooms above. It never changes a label.
"""
