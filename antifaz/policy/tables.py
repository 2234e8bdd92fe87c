"""The policy of a table, and its contradictions."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Discriminator, Field, model_validator

from antifaz import catalogue
from antifaz.described import Described
from antifaz.policy.model import (
    STRICT,
    AttributePolicy,
    Policy,
    Report,
    named_or_stated,
    promises_mechanism,
    tagged,
)
from antifaz.tables.parts import TableAttack, TableGuarantee, TableMethod, TableUtility
from antifaz.tables.table import Role

if TYPE_CHECKING:
    AnyTableGuarantee = TableGuarantee
    AnyTableMethod = TableMethod
    TableUtilityField = str | TableUtility
    TableAttackField = str | TableAttack
else:
    AnyTableGuarantee = Annotated[tagged(catalogue.parts("guarantees", "table")), Discriminator("model")]
    AnyTableMethod = Annotated[tagged(catalogue.parts("methods", "table")), Discriminator("name")]
    TableUtilityField = named_or_stated(catalogue.parts("utility", "table"))
    TableAttackField = named_or_stated(catalogue.parts("attacks", "table"))

CLASS_MODELS = {part.wire_name() for part in catalogue.parts("guarantees", "table")}
"""Guarantees over classes of records."""
TABLE_GATES = {
    "max_suppressed",
    "max_prosecutor_risk",
    "max_journalist_risk",
    "max_marketer_risk",
    "max_linkage_rate",
    "max_homogeneous",
    "max_loss",
}
"""Gate rules that are measured on records."""


class TableReport(Report):
    """Measures and attacks of the report, each by its name or with its parameters; a default set of bounded cost if
    left out."""

    utility: tuple[TableUtilityField, ...] | None = Field(default=None, max_length=50)
    """Utility measures: names, or objects with a name and parameters."""
    attacks: tuple[TableAttackField, ...] | None = Field(default=None, max_length=50)
    """Attacks: names, or objects with a name and parameters."""
    sampling_fraction: float | None = Field(default=None, gt=0, le=1)
    """The share of the population that is in the table, for reported risks that depend on it; 1 if left out, and in
    gates."""
    threshold: float | None = Field(default=None, gt=0, le=1)
    """Records with a higher risk count as exposed; 0.2 if left out."""

    def about_risk(self) -> dict[str, float]:
        """Return the parameters of risk measures."""
        stated = {"sampling_fraction": self.sampling_fraction, "threshold": self.threshold}
        return {name: value for name, value in stated.items() if value is not None}


class CsvOutput(Described):
    """How csv files of a release are written, to suit the program that opens them."""

    model_config = STRICT
    delimiter: Literal[",", ";", "\t"] = ","
    """Separator of cells."""
    decimal: Literal[".", ","] = "."
    """Decimal separator of numbers; ranges in their JSON form keep the point."""
    bom: bool = False
    """Whether a file begins with a byte order mark, by which some spreadsheets recognize UTF-8."""

    @model_validator(mode="after")
    def _differ(self) -> "CsvOutput":
        if self.delimiter == self.decimal:
            raise ValueError("a decimal comma needs another delimiter, such as ;")
        return self


class LabelOutput(Described):
    """How labels of a release are written, in all formats."""

    model_config = STRICT
    ranges: Literal["[20, 29]", "20–29"] = "[20, 29]"
    """Ranges of numbers and dates: as JSON, or with a dash, which clearly distinguishes them from sets."""


class TablePolicy(Policy):
    """A policy for a table."""

    kind: Literal["table"]
    """The kind of dataset."""
    attributes: dict[Annotated[str, Field(min_length=1, max_length=1000)], AttributePolicy] = Field(
        min_length=1, max_length=2000
    )
    """Every column, with its role."""
    guarantees: tuple[AnyTableGuarantee, ...] = Field(default=(), max_length=20)
    """What must hold in the release."""
    method: AnyTableMethod
    """How the table is protected."""
    report: TableReport = TableReport()
    """Measures and attacks of the report."""
    formats: tuple[Literal["csv", "parquet", "jsonl", "xlsx"], ...] = Field(default=("csv", "parquet"), min_length=1)
    """Formats of the release."""
    csv: CsvOutput = CsvOutput()
    """How csv files are written."""
    labels: LabelOutput = LabelOutput()
    """How labels are written."""
    privacy_unit: str | None = None
    """Identifier column that states which rows belong to one person: k then counts people instead of rows."""

    def pseudonyms(self) -> list[str]:
        """Return the names of the identifiers that are released as pseudonyms."""
        return [name for name, attribute in self.attributes.items() if attribute.pseudonym]

    def warnings(self) -> list[str]:
        """Return what a careful steward would want to know before running it."""
        warnings = super().warnings()
        if self.pseudonyms():
            warnings.append(
                "Pseudonyms link the rows of one person, and the releases of one dataset: recognizing one row means "
                "recognizing them all."
            )
            if self.privacy_unit is None:
                warnings.append("Without a privacy unit the rows of one pseudonym count as different people.")
        return warnings

    def unit(self) -> str | None:
        """Return the column that identifies the person of a record, if people are counted instead of records."""
        return self.privacy_unit

    def follows_records(self) -> bool:
        """Whether each released record comes from one original record, so that releases can be joined record by
        record."""
        return self.method.follows_records()

    def declared_values(self) -> Collection[str]:
        """Return the names of the columns whose domain is declared: their cells are text and never a reason to
        refuse."""
        return self.method.declared_values()

    def changed_columns(self) -> frozenset[str]:
        """Return the names of the columns that the method changes whatever their role."""
        return frozenset() if promises_mechanism(self) else self.method.named()

    def class_method(self) -> TableMethod:
        """Return the method that recodes the quasi-identifiers."""
        return self.method

    def guarantees_given(self) -> set[str]:
        """Return the wire names of the guarantees that the method can give."""
        return set(self.method.guarantees_given())

    def gates(self) -> set[str]:
        """Return the gate rules that are measured on such a release."""
        return TABLE_GATES

    def contradictions(self) -> Iterable[tuple[str, str]]:
        """Yield what is wrong with the method, the privacy unit and the waivers."""
        yield from self.method.contradictions(self.attributes, [waiver.rule for waiver in self.waivers])
        needed = self.method.needs_guarantee()
        if needed is not None and needed not in {guarantee.wire_name() for guarantee in self.guarantees}:
            yield "/guarantees", f"the method takes its noise from the guarantee {needed}"
        yield from _contradictions_of_unit(self)
        for position, waiver in enumerate(self.waivers):
            if waiver.column is not None and waiver.column not in self.attributes:
                yield f"/waivers/{position}/column", "there is no such attribute"

    def contradictions_of_attribute(self, attribute: AttributePolicy) -> Iterable[tuple[str, str]]:
        """Yield field and reason of what is wrong with one attribute."""
        if attribute.pseudonym and not self.method.follows_records():
            yield "pseudonym", "the method makes new records, which belong to no person"


def _contradictions_of_unit(policy: TablePolicy) -> Iterable[tuple[str, str]]:
    if policy.privacy_unit is None:
        return
    if policy.privacy_unit not in policy.having(Role.IDENTIFIER):
        yield "/privacy_unit", "must name an attribute whose role is identifier"
    if not policy.method.follows_records() and not policy.method.bounds_contributions():
        yield "/privacy_unit", "the method makes new records, which belong to no person"
    for pointer in policy.populations().values():
        yield pointer, "counts rows, which does not fit a policy with a privacy unit"
