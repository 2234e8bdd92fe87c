"""Part: one concept of the catalogue, as frozen parameters and one verb.

Every method, guarantee, hierarchy, risk, utility measure and attack is one subclass in one file. The catalogue finds
it by walking the packages; its fields are its JSON schema, its docstring is its text in the API.
"""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """Parameters of one concept; the subclass adds the verb."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    kinds: ClassVar[tuple[str, ...]] = ()
    """The kinds of dataset that the part works on: ``table``, ``graph``, ``temporal_graph``."""

    @classmethod
    def wire_name(cls) -> str:
        """The name by which policies call this part: the default of its ``name``, ``model`` or ``kind`` field."""
        for tag in ("name", "model", "kind"):
            if tag in cls.model_fields:
                return str(cls.model_fields[tag].default)
        raise TypeError(f"{cls.__name__} has no wire name")
