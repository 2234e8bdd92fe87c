"""Class-wise guarantees: those that any method gives if it checks the policy's rules on every class.

A guarantee declares itself class-wise; this list is built from the guarantees that exist.
"""

import importlib
import pkgutil

from antifaz.tables import guarantees
from antifaz.tables.parts import TableGuarantee


def _find_classwise() -> tuple[str, ...]:
    names = [module.name for module in pkgutil.iter_modules(guarantees.__path__, guarantees.__name__ + ".")]
    members = [member for name in names for member in vars(importlib.import_module(name)).values()]
    parts = {m for m in members if isinstance(m, type) and issubclass(m, TableGuarantee) and m.classwise}
    return tuple(part.wire_name() for part in sorted(parts, key=lambda part: (len(part.examples[0]), part.wire_name())))


CLASSWISE = _find_classwise()
"""Their wire names, fewest parameters first: examples show the first one."""
