"""Roles: what a column means for privacy, judged by its name, the shape of its values and by counting.

A direct identifier that is missed is published; a false alarm only costs a column. So a column that looks like an
identifier counts as one, and a column that others may know counts as a quasi-identifier.
"""

from dataclasses import dataclass, field, replace

from antifaz.advice.facts import Facts
from antifaz.columns.shapes import IDENTIFYING, SAYS
from antifaz.columns.words import CONCEPTS, VAGUE, Concept
from antifaz.tables.table import Role
from antifaz.tables.texts.value_types import ValueType

CONCEPT = {concept.name: concept for concept in CONCEPTS}
_DIRECT = frozenset(concept.name for concept in CONCEPTS if concept.role == "identifier")
_ALONE_IDENTIFIES = frozenset({"mail", "phone", "national_id", "bank_account", "vehicle"})
"""Concepts that identify people however few values there are."""
_OF_SHAPE = {
    "mail": "mail", "url": "online_id", "ip": "online_id", "uuid": "record_number", "number": "national_id",
    "social_security": "national_id", "curp": "national_id", "insurance": "national_id", "phone": "phone",
    "person": "person_name", "icd": "diagnosis", "sex": "sex", "coordinates": "coordinate",
    "postal_code": "postal_code", "text": "free_text", "date": "event_date",
}  # fmt: skip
_CALENDAR = frozenset(
    {"year", "month", "day", "hour", "ano", "any", "annee", "jahr", "anno", "mes", "mois", "monat", "mese"}
)
_DOUBTFUL = ("person", "text", "phone", "postal_code", "icd")
"""Shapes that are less reliable than the name: towns are named after people, and codes look like other codes."""
CERTAIN, LIKELY, UNSURE = 0.95, 0.8, 0.5


@dataclass(frozen=True)
class Advised:
    """The role of one column, and the reason."""

    facts: Facts
    role: Role
    reason: str
    confidence: float
    concept: str | None = None
    warnings: list[str] = field(default_factory=list)
    leaves_out: bool = False
    """Whether rows without a value of it are left out, because they are totals."""
    joins: bool = False
    """Whether its values also stand in another column, so that each row joins two people."""

    def turned(self, role: Role, reason: str) -> "Advised":
        """The same column in another role."""
        return replace(self, role=role, reason=reason, confidence=UNSURE)


def judge(facts: Facts) -> Advised:
    """The role of a column by itself; its effect together with others is considered later."""
    by_shape = _by_shape(facts)
    if by_shape is not None:
        return by_shape
    by_name = next((concept for concept in facts.reading.concepts if _is_plausible(concept, facts)), None)
    if by_name is not None:
        return _by_name(facts, by_name)
    return _by_counts(facts)


def _by_shape(facts: Facts) -> Advised | None:
    """The role by the shape of the values, if it is beyond doubt or the name does not contradict it."""
    shape = facts.shape.name
    if shape is None:
        return None
    named = next((concept.name for concept in facts.reading.concepts if _is_plausible(concept, facts)), None)
    concept = CONCEPT[_OF_SHAPE[shape]]
    doubtful = shape in _DOUBTFUL and not (shape == "text" and facts.is_unique)
    spoken = named not in (None, concept.name) or (concept.role != "identifier" and facts.reading.is_code)
    if shape == "date" or (doubtful and spoken):
        return None
    looks = facts.shape.number or SAYS[shape]
    reason = f"the values look like {looks}"
    if named == concept.name:
        reason = f"the name suggests {concept.says}, and the values look like it"
    confidence = CERTAIN if shape in IDENTIFYING or shape == "sex" else LIKELY
    return Advised(facts, Role(concept.role), reason, confidence, concept.name)


def _is_plausible(concept: Concept, facts: Facts) -> bool:
    """Whether the values can be what the name suggests."""
    if concept.name in _DIRECT:
        return _is_plausible_identifier(concept.name, facts)
    match concept.name:
        case "event_date":
            calendar = not _CALENDAR.isdisjoint(facts.reading.words) and facts.is_numeric
            return facts.is_date or calendar
        case "birth_date":
            return facts.column.type is not ValueType.BOOLEAN and (not facts.is_numeric or facts.within(1, 99_999_999))
        case "age":
            return not facts.is_date and (not facts.is_numeric or facts.within(0, 1_500))
        case "postal_code":
            return facts.shape.length >= 2.5 and facts.column.type is not ValueType.DATE
        case "coordinate":
            return facts.column.type is ValueType.DECIMAL or facts.shape.name == "coordinates"
        case "diagnosis" | "treatment" | "measurement" | "money" | "belief":
            return not facts.is_date
        case _:
            return True


def _is_plausible_identifier(name: str, facts: Facts) -> bool:
    kind = facts.column.type
    if kind is ValueType.BOOLEAN or (facts.distinct <= 2 and facts.known >= 20) or facts.is_date:
        return False
    if name == "free_text":
        return kind is ValueType.TEXT and (facts.shape.words >= 2 or facts.distinct > 20)
    if kind is ValueType.DECIMAL and not facts.is_whole:
        return False
    if name in _ALONE_IDENTIFIES:
        return True
    if facts.reading.names_thing() and name in ("person_name", "record_number", "address"):
        return name == "record_number" and facts.is_spread
    few = facts.known >= 100 and facts.distinct * 50 < facts.known
    return not few or not VAGUE.issuperset(word for word in facts.reading.words if not word.isdigit())


def _by_name(facts: Facts, concept: Concept) -> Advised:
    reason, role = f"the name suggests {concept.says}", Role(concept.role)
    advised = Advised(facts, role, reason, LIKELY if len(facts.reading.concepts) > 1 else CERTAIN, concept.name)
    if role is Role.SENSITIVE and facts.is_unique:
        return _unique(advised)
    if concept.name in ("place", "occupation", "education", "nationality") and facts.is_unique and not facts.is_numeric:
        return advised.turned(Role.IDENTIFIER, f"{reason}, but most values are unique")
    return advised


def _unique(advised: Advised) -> Advised:
    """A sensitive column whose values single people out cannot be released unchanged."""
    if advised.facts.is_assigned:
        return advised.turned(Role.IDENTIFIER, f"{advised.reason}, but the values look like codes of people or cases")
    if advised.facts.column.type is ValueType.TEXT:
        return advised.turned(Role.IDENTIFIER, f"{advised.reason}, but most values are unique: it may be free text")
    return advised.turned(Role.QUASI_IDENTIFIER, f"{advised.reason}; most values are unique, so ranges are released")


def _by_counts(facts: Facts) -> Advised:
    if facts.is_date:
        return Advised(
            facts, Role.QUASI_IDENTIFIER, "the values are dates, which others may know", LIKELY, "event_date"
        )
    if facts.is_sequential:
        return Advised(
            facts, Role.IDENTIFIER, "the values are numbered in the order of the rows", LIKELY, "record_number"
        )
    if facts.is_assigned:
        reason = "the values look like codes that were assigned to people or things one by one"
        return Advised(facts, Role.IDENTIFIER, reason, LIKELY, "record_number")
    if facts.reading.is_code and facts.has_many and (facts.column.type is not ValueType.DECIMAL or facts.is_whole):
        reason = "the name suggests a number or code, and it has many values"
        return Advised(facts, Role.IDENTIFIER, reason, LIKELY, "record_number")
    if facts.is_balanced:
        reason = "many whole numbers that all stand in about as many rows, as the numbers of people in a panel do"
        return Advised(facts, Role.IDENTIFIER, reason, UNSURE, "record_number")
    if facts.is_unique:
        return _unique_unknown(facts)
    if facts.is_spread:
        return _spread_unknown(facts)
    if facts.shape.titled:
        return Advised(facts, Role.IDENTIFIER, "the values are written like names", UNSURE, "person_name")
    if facts.distinct <= 1:
        return Advised(facts, Role.INSENSITIVE, "all rows have the same value", CERTAIN)
    return Advised(facts, Role.INSENSITIVE, "nothing in its name or values singles people out", UNSURE)


def _spread_unknown(facts: Facts) -> Advised:
    """A column that nothing explains, with few rows for each value: it may name people or be known about them."""
    if facts.column.type is ValueType.TEXT:
        return Advised(facts, Role.IDENTIFIER, "texts of unknown meaning, shared by few rows", UNSURE, "free_text")
    reason = "numbers of unknown meaning, shared by few rows: ranges of them are released"
    return Advised(facts, Role.QUASI_IDENTIFIER, reason, UNSURE)


def _unique_unknown(facts: Facts) -> Advised:
    if facts.column.type is ValueType.TEXT or facts.reading.is_code or (facts.shape.digits and facts.shape.length >= 6):
        return Advised(facts, Role.IDENTIFIER, "most values are unique", LIKELY)
    if facts.is_numbered:
        reason = "nearly every row has a whole number of its own, as numbers of people do"
        return Advised(facts, Role.IDENTIFIER, reason, UNSURE)
    reason = "most values are unique numbers: ranges of them are released"
    return Advised(facts, Role.QUASI_IDENTIFIER, reason, UNSURE)
