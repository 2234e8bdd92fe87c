"""Questions under differential privacy: declarations, questions and answers, and the grants of analysts."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from antifaz.questions.declarations import Declarations
from antifaz.questions.question import Question
from api_schemas.schema import Answer, Body, Id

Loss = Annotated[float, Field(ge=0, le=1_000_000)]


class DeclarationsAnswer(Answer):
    """The declarations of a dataset and its other versions."""

    dataset_id: str
    version: int
    declarations: Declarations
    created_at: str


class QueryRequest(Question):
    """A question, or a question about its accuracy."""

    accuracy: bool = False
    """Whether to return only the expected accuracy of the answer. The data is not read, and nothing is charged."""
    rows: Annotated[int, Field(strict=True, ge=1, le=10**12)] | None = None
    """For accuracy: the number of rows to assume in each group, on which means, variances and quantiles depend."""

    @model_validator(mode="after")
    def _rows_for_accuracy(self) -> Self:
        if self.rows is not None and not self.accuracy:
            raise ValueError("rows may be given only with accuracy")
        return self

    def question(self) -> Question:
        """Return the question alone."""
        return Question(**{name: getattr(self, name) for name in Question.model_fields})


class Spent(Answer):
    """A privacy loss, in the measure of the dataset's account."""

    epsilon: float | None = None
    rho: float | None = None
    delta: float | None = None


class Cell(Answer):
    """One number of an answer."""

    group: dict[str, str]
    """The keys of the group."""
    bin: list[Any] | None = None
    """Histograms: where the bin begins and ends."""
    value: float | int | str
    scale: float
    """Scale of the noise: in their own unit for counts and sums, divided by the noisy count for means and variances, in
    rows for quantiles."""
    interval95: list[Any]
    """Interval that contains the exact result on the declared, bounded rows in 95 of 100 draws."""
    coverage: float | None = None
    """Chance that the interval contains it. It is exact for counts and sums, and above 0.95 if their noise is so narrow
    that no whole number of rows comes close to 0.95. Otherwise it is 0.95, to within a hundredth."""
    cost: Spent
    """Cost of all cells of this selection together."""
    remaining: float
    """What the caller may still spend now."""


class Answered(Answer):
    """The answer to one selection."""

    select: dict[str, Any]
    cells: list[Cell]


class Query(Answer):
    """A question and its answer, once there is one."""

    id: str
    dataset_id: str
    status: Literal["queued", "running", "done", "failed", "cancelled"]
    question: dict[str, Any]
    declarations: int
    """Version of the declarations that the answer uses."""
    answers: list[Answered] | None = None
    answers_withheld: bool = False
    """The caller's role may not read answers, which are data: an auditor sees question and cost."""
    cost: Spent
    remaining: float
    """What the caller may still spend now."""
    error: dict[str, Any] | None = None
    created_at: str


class Expected(Answer):
    """Expected accuracy of the answer to one selection."""

    select: dict[str, Any]
    scale: float
    plus_minus: float | None = None
    """Distance from the truth that an answer exceeds in at most 5 of 100 draws; null if it depends on the number of
    rows."""
    unit: Literal["rows", "value", "value squared", "share of rows"]


class Accuracy(Answer):
    """Expected accuracy and cost of an answer."""

    accuracy: list[Expected]
    cost: Spent
    remaining: float


class GrantRequest(Body):
    """The total that an analyst may spend of a dataset's budget."""

    token_id: Id
    """The analyst's token."""
    epsilon: Loss | None = None
    rho: Loss | None = None
    """Instead of epsilon, if the budget is a rho."""

    @model_validator(mode="after")
    def _one_loss(self) -> Self:
        if (self.epsilon is None) == (self.rho is None):
            raise ValueError("exactly one of epsilon and rho must be given")
        return self


class Grant(Answer):
    """The share of a dataset's budget that an analyst may spend."""

    dataset_id: str
    dataset: str
    """The dataset's name."""
    token_id: str
    analyst: str
    """The token's name."""
    measure: Literal["pure", "zcdp"]
    total: float
    spent: float
    remaining: float
    created_at: str


class Grants(Answer):
    """Grants, newest first."""

    items: list[Grant]
