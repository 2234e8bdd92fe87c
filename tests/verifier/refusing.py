"""Refusals of the verifier's readers."""

from verifier.readers.cells import Column


def cells_of(column: Column) -> list[tuple[str, str]]:
    return [(column.kinds[code], column.texts[code]) for code in column.codes]


def graphml(inside: str = '<node id="0"/>', keys: str = "", flow: str = "undirected") -> str:
    return f'<graphml>{keys}<graph edgedefault="{flow}">{inside}</graph></graphml>'
