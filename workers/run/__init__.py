"""What every kind of task needs: the context of a process, the watch of a job, sources, limits, problems and the
report.

Imported by the rooms above. Only `sources` opens originals.
"""
