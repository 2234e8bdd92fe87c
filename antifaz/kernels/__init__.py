"""Compiled loops over plain arrays; below everything else in the engine."""
