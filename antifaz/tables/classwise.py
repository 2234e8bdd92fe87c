"""Class-wise guarantees: those that a method gives that checks every class, by whichever rules it is handed.

A guarantee says of itself that it is one; the list is made from what is there.
"""

import importlib
import pkgutil

from antifaz.tables import guarantees
from antifaz.tables.parts import TableGuarantee


def _found() -> tuple[str, ...]:
    names = [module.name for module in pkgutil.iter_modules(guarantees.__path__, guarantees.__name__ + ".")]
    members = [member for name in names for member in vars(importlib.import_module(name)).values()]
    parts = {m for m in members if isinstance(m, type) and issubclass(m, TableGuarantee) and m.classwise}
    return tuple(part.wire_name() for part in sorted(parts, key=lambda part: (len(part.examples[0]), part.wire_name())))


CLASSWISE = _found()
"""Their wire names, those with the fewest parameters first: examples show the first one."""
