"""What a part must fulfill, and parts in packages of their own.

Imported by the catalogue, by reports and by the tests of packages. It loads attacks and hierarchies alone: no method,
no guarantee, and nothing that replaces a part of ours. Formats are found by `formats.extending`.
"""
