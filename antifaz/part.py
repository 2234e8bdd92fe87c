"""Part: one concept of the catalogue, as frozen parameters and one verb.

Every method, guarantee, hierarchy, risk, utility measure and attack is one subclass in one file. The catalogue finds
it by walking the packages; its fields are its JSON schema, its docstring is its text in the API.
"""

from collections.abc import Sequence
from typing import ClassVar, Self

from pydantic import BaseModel, ConfigDict

LEAST_EPSILON = 1e-6
"""The smallest privacy loss that can be asked for: the unit of the ledger, and far above what rounding does."""
LEAST_NUMBER = 1e-12
"""Numbers of a policy are 0 or at least this far from it: their inverses and squares must be numbers as well."""
MOST_NUMBER = 1e18
"""Numbers of a policy are at most this large."""


Examples = tuple[dict[str, object], ...]
"""Parameters of a part, once for each variant of it."""


class Part(BaseModel):
    """Parameters of one concept; the subclass adds the verb."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    kinds: ClassVar[tuple[str, ...]] = ()
    """The kinds of dataset that the part works on: ``table``, ``graph``, ``temporal_graph``."""
    examples: ClassVar[Examples] = ({},)
    """Parameters as a policy could state them, one set for each variant worth showing and testing; the first is the one
    to show where only one is. All that have no default are among them. For methods of tables the columns are ``age``,
    ``zip``, ``sex`` and ``disease``."""

    @classmethod
    def wire_name(cls) -> str:
        """The name by which policies call this part: the default of its ``name``, ``model`` or ``kind`` field."""
        for tag in ("name", "model", "kind"):
            if tag in cls.model_fields:
                return str(cls.model_fields[tag].default)
        raise TypeError(f"{cls.__name__} has no wire name")

    def beside(self, guarantees: Sequence["Part"]) -> Self:
        """The part as it is run in a policy with these guarantees: what it leaves to them is taken from them."""
        return self
