"""People in tables: diversity, closeness, populations and randomized values, class by class.

Imported by the judges and by `joint`. They know nothing of graphs.
"""
