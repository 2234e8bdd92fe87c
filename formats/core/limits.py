"""Limits: how large a file and its pieces may be."""

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Limits:
    """Limits of readers, set by the settings of the process."""

    max_bytes: int
    """Largest file, after decompression."""
    max_ratio: int
    """Largest ratio of decompressed to compressed size."""
    max_rows: int
    max_columns: int
    max_cell_bytes: int
    max_json_depth: int

    @classmethod
    def of(cls, settings: object) -> "Limits":
        """Take the limits from the settings of a process."""
        return cls(**{field.name: getattr(settings, field.name) for field in fields(cls)})
