"""Compiled loops over plain arrays; below everything else in the engine.

Imported by every room of the engine. A kernel knows arrays alone: no policy, no column, no graph object.
"""
